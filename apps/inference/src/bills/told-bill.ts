import { z } from 'zod';

/** A number of tokens in a provider's report; none where it tells none. */
export const tokens = z
  .number()
  .int()
  .nonnegative()
  .nullish()
  .transform((value) => value ?? 0);

/**
 * A line of a bill as a provider tells it: the model by its name there, empty where it names none. `eventId`:
 * of the one usage event that the line is of, and then the model is that of the event, by its public id.
 */
export interface ToldLine {
  model: string;
  kind: string;
  picoUsd: bigint;
  eventId?: string;
}

/**
 * What was used of a model in the minute from `at` (epoch milliseconds), by the kinds of a charge; each token
 * stands in one of them.
 */
export interface ToldMinute {
  model: string;
  at: number;
  uses: Readonly<Record<string, number>>;
}

/** What a provider tells of a day. */
export interface ToldBill {
  lines: readonly ToldLine[];
  minutes: readonly ToldMinute[];
}
