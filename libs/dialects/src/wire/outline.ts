/** Less is looked through as it is, bytes. */
const leastBytes = 262_144;
/** It is looked whether a long string stands there after each so many bytes. */
const strideBytes = 16_384;
/** A string is long that goes on for so many bytes. */
const longBytes = 32_768;
/** So much of a long string is kept: what is looked for behind a quote is at most 1,152 bytes. */
const keptBytes = 2_048;
const quote = 0x22;

const outlines = new WeakMap<Buffer, readonly Buffer[]>();

/**
 * JSON text without the insides of its long strings, in pieces: all that begins with a quote, and whatever
 * stands less than 2,048 bytes behind one, is in one piece of these. A request is asked for a dozen texts,
 * each of which was looked for in all of a picture: 6 MiB of one are 20 kB here, which are found once.
 * The bytes must not change.
 */
export function outlineOf(bytes: Buffer): readonly Buffer[] {
  if (bytes.length < leastBytes) return [bytes];
  const known = outlines.get(bytes) ?? [...outline(bytes)];
  outlines.set(bytes, known);
  return known;
}

function* outline(bytes: Buffer): Generator<Buffer> {
  let start = 0;
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(quote, at);
    const next = found < 0 ? bytes.length : found;
    if (next - at < longBytes) {
      at = Math.max(at + strideBytes, next);
      continue;
    }
    yield bytes.subarray(start, at + keptBytes);
    start = next;
    at = next;
  }
  if (start < bytes.length) yield bytes.subarray(start);
}
