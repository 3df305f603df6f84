const quote = '"';
/** Node looks for so many bytes by memory search of the first one, and for more by a table that is dear. */
const quickBytes = 6;
/** Of a body that is full of beginnings the rest is searched in the other way: its time has a bound, too. */
const mostBeginnings = 1_000;

/**
 * Whether a text stands in these bytes, as UTF-8. As `Buffer.includes`, which takes 15 to 30 ms for 17
 * characters in 25 MB of pictures; this takes 1.
 * @see https://github.com/nodejs/node/blob/v20.20.0/src/string_search.h `StringSearch`
 */
export function holdsText(bytes: Buffer, text: string): boolean {
  return partsFor(bytes, text).some((part) => holds(part, text));
}

/** What begins with a quote stands in no long string: those are passed over. */
function partsFor(bytes: Buffer, beginning: string): readonly Buffer[] {
  return beginning.startsWith(quote) ? outlineOf(bytes) : [bytes];
}

function holds(bytes: Buffer, text: string): boolean {
  const whole = Buffer.from(text);
  const beginning = whole.subarray(0, quickBytes);
  let at = bytes.indexOf(beginning);
  for (let seen = 0; at >= 0; seen++) {
    if (seen === mostBeginnings) return bytes.includes(whole, at);
    if (bytes.compare(whole, 0, whole.length, at, Math.min(bytes.length, at + whole.length)) === 0) return true;
    at = bytes.indexOf(beginning, at + 1);
  }
  return false;
}

/** So many bytes become a text at once: bodies may be full of beginnings. */
const windowBytes = 1_024;
/** So many bytes are matched from a beginning on. */
const matchedBytes = 128;

/**
 * Whether an expression matches somewhere in these bytes, taken for Latin-1. Each of its matches starts with
 * this beginning: of at most six bytes, as above. A text of all of them would take as much memory again.
 */
export function holdsMatch(bytes: Buffer, beginning: string, expression: RegExp): boolean {
  return partsFor(bytes, beginning).some((part) => matches(part, beginning, expression));
}

function matches(bytes: Buffer, beginning: string, expression: RegExp): boolean {
  for (let at = bytes.indexOf(beginning); at >= 0; at = bytes.indexOf(beginning, at + windowBytes)) {
    const found = bytes.toString('latin1', at, at + windowBytes + matchedBytes).search(expression);
    if (found >= 0 && found < windowBytes) return true;
  }
  return false;
}

/** Less is looked through as it is, bytes. */
const leastBytes = 262_144;
/** It is looked whether a long string stands there after each so many bytes. */
const strideBytes = 16_384;
/** A string is long that goes on for so many bytes. */
const longBytes = 32_768;
/** So much of a long string is kept: what is looked for behind a quote is at most 1,152 bytes. */
const keptBytes = 2_048;
const quoteByte = 0x22;

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
    const found = bytes.indexOf(quoteByte, at);
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
