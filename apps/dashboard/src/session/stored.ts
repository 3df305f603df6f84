/** What a browser that allows no storage keeps until its page is closed. */
const inMemory = new Map<string, string>();
const listeners = new Set<() => void>();

export function subscribe(listener: () => void): () => void {
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
