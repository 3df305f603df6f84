import { GatewayError } from '@tollgate/contracts';
import { largeBytes } from '@tollgate/messaging';

/**
 * A body may come in so many pieces of any size; beyond that they must hold so many bytes on average. Node
 * hands each chunk of HTTP on by itself, at some microseconds, so that a megabyte in chunks of one byte would
 * take the event loop for a second.
 */
const freePieces = 4_096;
const leastBytesAPiece = 64;

/**
 * What a large body brings at the least, bytes in each so many milliseconds: it holds memory that others wait
 * for. That is half a megabit a second; what is small is bounded by the server's request timeout alone.
 */
const leastBytesASpan = 640 * 1_024;
export const spanMs = 10_000;

/** Of a body that is refused so, the rest is not read. */
export class Unreadable extends GatewayError {}

/** Null, or why no more is taken of a body that came in so many pieces so far. */
export function tooManyPieces(pieces: number, bytes: number): Unreadable | null {
  if (pieces <= freePieces || bytes >= pieces * leastBytesAPiece) return null;
  const told = `more than ${freePieces} pieces of fewer than ${leastBytesAPiece} bytes`;
  return new Unreadable(400, `The request body comes in ${told}.`);
}

/**
 * Null, or why no more is taken of a large body that brought so many bytes in the last span, in which it
 * waited for its turns for so long, milliseconds.
 */
export function tooSlow(bytes: number, waitedMs: number): Unreadable | null {
  if (bytes >= leastBytesASpan * (1 - waitedMs / spanMs)) return null;
  const least = `${leastBytesASpan} bytes in ${spanMs / 1_000} seconds`;
  return new Unreadable(408, `The request body came too slowly: one of more than ${largeBytes} bytes needs ${least}.`);
}
