/**
 * Whether each of these bytes is the first one again, as in white space that keeps a connection open: what
 * follows the first is compared with what stands before the last, as memory, which takes a tenth of a look at
 * each byte.
 */
export function isRunOfOne(bytes: Uint8Array): boolean {
  return bytes.length > 0 && Buffer.compare(bytes.subarray(1), bytes.subarray(0, -1)) === 0;
}
