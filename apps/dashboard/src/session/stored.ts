import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { z } from 'zod/mini';
import { useSession } from './session';

/** What a browser that allows no storage keeps until its page is closed. */
const inMemory = new Map<string, string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

export function read(key: string): string | null {
  try {
    return inMemory.get(key) ?? localStorage.getItem(key);
  } catch {
    return inMemory.get(key) ?? null;
  }
}

export function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
    inMemory.delete(key);
  } catch {
    // Not allowed, or full.
    inMemory.set(key, text);
  }
  for (const listener of listeners) listener();
}

export const keyOf = (userId: string, name: string) => `tollgate ${userId} ${name}`;

/**
 * Forgets what was kept of everybody but one (null: of everybody) that has words in it: whoever uses this
 * browser next finds nothing of them. Switches stay.
 */
export function forgetOthers(userId: string | null): void {
  const isOthers = (key: string): boolean =>
    /^tollgate \S+ /.test(key) && (userId === null || !key.startsWith(keyOf(userId, '')));
  for (const key of [...inMemory.keys()].filter(isOthers)) inMemory.delete(key);
  try {
    for (const key of Object.keys(localStorage).filter(isOthers))
      if (!/^(?:true|false)$/.test(localStorage.getItem(key) ?? '')) localStorage.removeItem(key);
  } catch {
    // Nothing was kept where nothing may be.
  }
}

type Shape = z.core.$ZodType;

/** The value that a text says; null where it is none of this shape, as after an update. */
function parsed<S extends Shape>(shape: S, text: string | null): z.infer<S> | null {
  try {
    const value = z.safeParse(shape, JSON.parse(text ?? 'null'));
    return value.success ? value.data : null;
  } catch {
    return null;
  }
}

/**
 * Something that this browser keeps for the person who is signed in, told to every page of theirs, and how to
 * change it. `shape` and `otherwise`, which it is before anything was kept, must not change.
 */
export function useStored<S extends Shape>(
  name: string,
  shape: S,
  otherwise: z.infer<S>,
): [z.infer<S>, (change: (before: z.infer<S>) => z.infer<S>) => void] {
  const { user } = useSession();
  const key = keyOf(user.id, name);
  const text = useSyncExternalStore(subscribe, () => read(key));
  const value = useMemo(() => parsed(shape, text) ?? otherwise, [shape, text, otherwise]);
  const change = useCallback(
    (make: (before: z.infer<S>) => z.infer<S>) =>
      write(key, JSON.stringify(make(parsed(shape, read(key)) ?? otherwise))),
    [key, shape, otherwise],
  );
  return [value, change];
}
