/** A message with more names is read by nobody. */
const mostNamed = 10;

/** `a, b and c` in an alert for people; of more than ten names the first ten, and how many more there are. */
export function namedFew(names: readonly string[]): string {
  const shown = names.slice(0, mostNamed);
  const more = names.length - shown.length;
  const all = more > 0 ? [...shown, `${more.toLocaleString('en')} more`] : shown;
  const last = all.at(-1) ?? '';
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${last}` : last;
}
