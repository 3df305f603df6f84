/** As many as somebody mends before the next look. */
const most = 20;

/**
 * What `tell` says of the first problems, and how many more there are: whoever is wrong thousands of times
 * needs no megabytes of it, and each costs the time to find its place.
 */
export function firstProblems<Problem>(problems: readonly Problem[], tell: (problem: Problem) => string): string[] {
  const told = problems.slice(0, most).map(tell);
  const more = problems.length - told.length;
  return more > 0 ? [...told, `and ${more} more ${more === 1 ? 'problem' : 'problems'}`] : told;
}
