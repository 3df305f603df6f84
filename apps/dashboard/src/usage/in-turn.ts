const waiting = new Set<() => void>();

/**
 * Calls each in a task of its own, in the order in which they came, so that the page answers in between.
 * Returns what takes one back that was not called yet.
 */
export function inTurn(work: () => void): () => void {
  if (waiting.size === 0) setTimeout(next);
  waiting.add(work);
  return () => void waiting.delete(work);
}

function next(): void {
  const [first] = waiting;
  if (!first) return;
  waiting.delete(first);
  if (waiting.size > 0) setTimeout(next);
  first();
}
