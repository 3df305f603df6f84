/** A limit for people: 1000000 is "1,000,000", null is "unlimited". */
export function limit(value: number | null): string {
  return value === null ? 'unlimited' : value.toLocaleString('en-US');
}

/** Epoch milliseconds as ISO 8601 in UTC to the second; null is "never". */
export function instant(atMs: number | null): string {
  return atMs === null ? 'never' : new Date(atMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Model patterns; none means every model. */
export function patterns(models: readonly string[]): string {
  return models.length === 0 ? 'all' : models.join(', ');
}

/** What a question mark behind an amount says. */
export const unconfirmedMark =
  '? The price is unconfirmed: sources disagree on it, or it has parts that are not shown.';
