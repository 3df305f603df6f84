import { InvalidArgumentError } from 'commander';

/** A limit as it is typed. Not null for unlimited: commander takes null for an option without a value. */
export type TypedLimit = number | 'unlimited';

/** Reads a limit: a whole number (also `1_000_000`) or `unlimited`. */
export function readLimit(text: string): TypedLimit {
  if (text === 'unlimited') return text;
  const value = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll('_', '')) : NaN;
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number, or the word unlimited.');
  return value;
}

/** A limit as operations know it: null is unlimited, absent leaves it to the plan. */
export function toLimit(typed: TypedLimit | undefined): number | null | undefined {
  return typed === 'unlimited' ? null : typed;
}
