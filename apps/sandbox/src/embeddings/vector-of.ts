import { createHash } from 'node:crypto';

/** The size of a vector when nobody asked for another. */
const usualDimensions = 16;

/** A vector of length 1 that a text always gets, and no other text. */
export function vectorOf(text: string, dimensions: number = usualDimensions): number[] {
  const numbers = Array.from({ length: dimensions }, (_, index) => numberOf(text, index));
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}

/** Between -1 and 1, and never 0. */
function numberOf(text: string, index: number): number {
  return (createHash('sha256').update(`${index} ${text}`).digest().readUInt32LE() + 0.5) / 0x8000_0000 - 1;
}
