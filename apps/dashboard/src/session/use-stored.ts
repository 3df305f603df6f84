import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { z } from 'zod/mini';
import { useSession } from './session';
import { keyOf, read, subscribe, write } from './stored';

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
