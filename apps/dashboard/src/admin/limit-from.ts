import { z } from 'zod/mini';

/** A limit as people write it: digits, with any spaces, points or commas between them; empty means no limit. */
export const limitText = z
  .string()
  .check(z.refine((text) => limitFrom(text) !== undefined, 'Enter a whole number, or leave it empty for no limit.'));

/** Null: no limit. Undefined: not a limit. */
export function limitFrom(text: string): number | null | undefined {
  const digits = text.replace(/[\s.,_'’]/g, '');
  if (digits === '') return null;
  const value = Number(digits);
  return /^\d+$/.test(digits) && Number.isSafeInteger(value) ? value : undefined;
}
