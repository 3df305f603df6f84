import type { VectorFormat } from './from-request';

/** A vector in the form that the caller asked for. */
export function toFormat(vector: readonly number[], format: VectorFormat): number[] | string {
  if (format === 'float') return [...vector];
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((number, i) => bytes.writeFloatLE(number, i * 4));
  return bytes.toString('base64');
}

/** A vector as a provider gave it, in either form; null for anything else. */
export function readVector(value: unknown): number[] | null {
  if (typeof value === 'string') return fromBase64(value);
  return Array.isArray(value) && value.every((item) => typeof item === 'number') ? value : null;
}

/** The vector at length 1; one of zeros stays as it is. */
export function normalized(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return length === 0 ? [...vector] : vector.map((number) => number / length);
}

function fromBase64(text: string): number[] | null {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return null;
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}
