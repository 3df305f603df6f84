import { z } from 'zod';

/**
 * The end of a model. `deprecated`: the day on which its provider advised against it (or on which that was
 * known at the latest); `date`: the first day (from 0:00 UTC) on which the provider does not serve it any
 * more. Null: not known. `successor`: the public id that its provider, or the catalog, suggests.
 * `redirects`: from that day the provider answers with the successor, at the successor's price.
 */
export const retirement = z.object({
  deprecated: z.iso.date().nullable().default(null),
  date: z.iso.date().nullable().default(null),
  successor: z.string().nullable().default(null),
  redirects: z.boolean().default(false),
});
export type Retirement = z.infer<typeof retirement>;

/** True when a model's provider does not serve it any more at `now` (epoch milliseconds). */
export function isRetired(end: Pick<Retirement, 'date'> | null | undefined, now: number): boolean {
  return end?.date != null && Date.parse(end.date) <= now;
}

/**
 * Callers and owners of keys are told of the end of a model from so many milliseconds before it on: 60 days.
 */
const toldAheadMs = 60 * 86_400_000;

/** From when on (epoch milliseconds) those who use a model that ends on `date` are told. */
export function toldFrom(date: string): number {
  return Date.parse(date) - toldAheadMs;
}

/**
 * True where the end of a model is to come, and so near at `now` (epoch milliseconds) that those who use it
 * are told.
 */
export function endsSoon(end: Pick<Retirement, 'date'> | null | undefined, now: number): boolean {
  return end?.date != null && !isRetired(end, now) && toldFrom(end.date) <= now;
}

/** A name that a provider once served and that the catalog has no model for. */
export const retiredName = retirement.pick({ date: true, successor: true }).extend({ name: z.string() });
export type RetiredName = z.infer<typeof retiredName>;
