/**
 * The first instant of the calendar month (UTC) of a moment, or of the one so many months `later`: where
 * quotas, budgets of a month, statements and reports of the calendar begin. Epoch milliseconds.
 */
export function monthStartMs(atMs: number, later = 0): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later);
}
