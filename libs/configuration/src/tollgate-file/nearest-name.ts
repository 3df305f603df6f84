/**
 * The known name that was probably meant, or null when none is near: at most a third of the letters differ.
 */
export function nearestName(typed: string, known: readonly string[]): string | null {
  // Each letter that one has more is one to add: most names are out before they are gone through.
  const ranked = known
    .filter((name) => Math.abs(name.length - typed.length) <= mayDiffer(name))
    .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= mayDiffer(best.name) ? best.name : null;
}

function mayDiffer(name: string): number {
  return Math.max(1, Math.floor(name.length / 3));
}

/** Letters to add, drop or change to make one text of the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
