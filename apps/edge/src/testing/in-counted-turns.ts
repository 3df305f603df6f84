/**
 * Does some work, and counts the turns of the event loop that others had meanwhile. Rejects as `work` does.
 */
export async function inCountedTurns<Result>(work: () => Promise<Result>): Promise<{ result: Result; turns: number }> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    isOver = true;
  }
}
