import { InvalidArgumentError } from 'commander';

/** Reads the number of a dead letter, or `all`. */
export function readLetterNumbers(text: string): number | 'all' {
  return text === 'all' ? text : readLetterNumber(text);
}

/** Reads the number of a dead letter. */
export function readLetterNumber(text: string): number {
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number)) throw new InvalidArgumentError('Give a number that dead-letters list shows.');
  return number;
}
