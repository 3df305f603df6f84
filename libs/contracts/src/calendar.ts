import { z } from 'zod';

/** A day of the calendar, as ISO 8601 writes it. */
export const day = z.iso.date('must be a day, such as 2026-11-01');

/**
 * The first instant of the calendar month (UTC) of a moment, or of the one so many months `later`: where
 * quotas, budgets of a month, statements and reports of the calendar begin. Epoch milliseconds.
 */
export function monthStartMs(atMs: number, later = 0): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later);
}
