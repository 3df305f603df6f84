/** OpenAI allows 128 choices and 128 tools; a larger index is not believed. */
const maxIndex = 1_023;

/**
 * Reads an index of a choice or tool call from bytes[start, end). Anything but an integer from 0 to 1023 is
 * 0.
 */
export function smallInteger(bytes: Uint8Array, start: number, end: number): number {
  let index = 0;
  for (let at = start; at < end; at++) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return 0;
    index = index * 10 + digit;
  }
  return index <= maxIndex ? index : 0;
}
