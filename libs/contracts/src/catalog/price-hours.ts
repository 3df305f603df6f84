import { z } from 'zod';
import { usdPerMillion } from '../money';

const clock = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'a time of day such as 01:00, at most 24:00');

/**
 * Hours at which every rate of tokens is multiplied by `factor`, a decimal string: on the `days` of the week
 * (1 is Monday, 7 Sunday) but for the dates `except`, from the minute `from` up to, not including, `to`. All
 * of it is UTC. What is charged by the use or the request costs the same at all hours.
 */
export const priceHours = z
  .object({
    days: z.array(z.number().int().min(1).max(7)).min(1),
    from: clock,
    to: clock,
    except: z.array(z.iso.date()).default([]),
    factor: usdPerMillion,
  })
  .refine(({ from, to }) => from < to, 'must end after it begins; hours across midnight are two entries');
export type PriceHours = z.infer<typeof priceHours>;

/**
 * The hours that hold at an instant (epoch milliseconds), the first where several do; null: the usual rates
 * hold.
 */
export function hoursAt(hours: readonly PriceHours[] | undefined, at: number): PriceHours | null {
  if (hours === undefined) return null;
  const told = new Date(at).toISOString();
  const [date, time] = [told.slice(0, 10), told.slice(11, 16)];
  const day = new Date(at).getUTCDay() || 7;
  return (
    hours.find(
      ({ days, from, to, except }) => days.includes(day) && from <= time && time < to && !except.includes(date),
    ) ?? null
  );
}

const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Hours in words: `2 × at 01:00–04:00 UTC on Mon–Fri, not on holidays`. */
export function hoursInWords({ days, from, to, except, factor }: PriceHours): string {
  const sorted = [...days].sort((one, other) => one - other);
  const [first = 1] = sorted;
  const inARow = sorted.length > 2 && sorted.every((day, index) => day === first + index);
  const names = sorted.map((day) => dayNames[day - 1]);
  const on = inARow ? `${names[0]}–${names.at(-1)}` : names.join(', ');
  return `${factor} × at ${from}–${to} UTC on ${on}${except.length > 0 ? ', not on holidays' : ''}`;
}
