import { z } from 'zod/mini';

/** A limit as people write it: digits, with any spaces, points or commas between them; empty means no limit, `plan` what the plan says. */
export const limitText = z
  .string()
  .check(
    z.refine((text) => limitFrom(text) !== undefined, 'Enter a whole number, nothing for no limit, or the word plan.'),
  );

/** Null: no limit. Undefined: not a limit. */
export function limitFrom(text: string): number | 'plan' | null | undefined {
  if (text.trim().toLowerCase() === 'plan') return 'plan';
  const digits = text.replace(/[\s.,_'’]/g, '');
  if (digits === '') return null;
  const value = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(value) ? value : undefined;
}
