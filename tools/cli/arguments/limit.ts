import { InvalidArgumentError } from 'commander';

/** Reads a limit: a whole number (also `1_000_000`) or `unlimited`, which is null. */
export function readLimit(text: string): number | null {
  if (text === 'unlimited') return null;
  const value = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll('_', '')) : NaN;
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number, or the word unlimited.');
  return value;
}
