import { outlineOf } from './outline';

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
