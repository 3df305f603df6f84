import { InvalidArgumentError } from 'commander';

/** Reads how many lines of a list are wanted, at most `most`. */
export function readPageSize(most: number): (text: string) => number {
  return (text) => {
    const size = Number(text);
    if (Number.isInteger(size) && size >= 1 && size <= most) return size;
    throw new InvalidArgumentError(`It must be a number from 1 to ${most}.`);
  };
}
