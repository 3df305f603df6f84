import { z } from 'zod';

/** Nothing waits longer than a day: timers count in 31 bits. */
export const milliseconds = z.number().int().positive().max(86_400_000);

/**
 * Time limits towards a provider or for one of its models, milliseconds. connectMs: at most a minute;
 * firstByteMs: until the response's head, and from there to its first bytes; idleMs: between two chunks;
 * totalMs: the whole attempt. Those that are absent depend on the request (see `time-limits.ts` of
 * inference).
 */
export const timeLimits = z.object({
  connectMs: milliseconds.max(60_000).optional(),
  firstByteMs: milliseconds.optional(),
  idleMs: milliseconds.optional(),
  totalMs: milliseconds.optional(),
});
export type TimeLimits = z.infer<typeof timeLimits>;
