import { EventLoopTurns } from '@tollgate/messaging';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** So many bytes are copied in one turn of the event loop, so that nobody else waits for all of them. */
const turnBytes = 262_144;

/**
 * Copies pieces to the beginning of a buffer, in turns of the event loop. New memory is given page by page at
 * its first use, which takes longer than the copy.
 */
export async function copyInTurns(pieces: Iterable<Uint8Array>, target: Buffer): Promise<void> {
  let at = 0;
  let left = turnBytes;
  for (const piece of pieces)
    for (let from = 0; from < piece.length;) {
      if (left === 0) {
        await nextTurn();
        left = turnBytes;
      }
      const part = piece.subarray(from, from + left);
      target.set(part, at);
      at += part.length;
      from += part.length;
      left -= part.length;
    }
}

/** The pieces as one, which are many megabytes, perhaps: see `copyInTurns`. */
export async function joinedInTurns(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  await copyInTurns(pieces, joined);
  return joined;
}

/** Each piece, taken out of its list: what is counted once must not live on beside its copy. */
export function* takenFrom(pieces: Uint8Array[]): Generator<Uint8Array> {
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) yield piece;
}

/** So much is walked over in one turn of the event loop, bytes, or one text: some tenths of a millisecond. */
const walkedBytes = 1_048_576;

/** What `walk` makes of each of these texts, which it walks over once, in turns of the event loop. */
export async function inTurns<Result>(
  texts: readonly Uint8Array[],
  walk: (text: Uint8Array, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let left = walkedBytes;
  for (const [index, text] of texts.entries()) {
    if (left <= 0) {
      await nextTurn();
      left = walkedBytes;
    }
    results.push(walk(text, index));
    left -= text.length;
  }
  return results;
}

/** So much of what callers leave is dealt with in a turn of the event loop, about a millisecond of work. */
const mostLeaving = 16;
/** Of more that waits, such a share: thousands are dealt with in a few hundred turns, within a second. */
const leavingShare = 1 / 48;

/**
 * Who left when, of all connections of this process: hundreds of connections of one caller may close at once,
 * each of which costs some hundredth of a millisecond several times over. 600 that left in the middle of a
 * body kept the event loop for 48 ms of CPU. Work is counted in callers.
 */
export const leavingTurns = new EventLoopTurns(mostLeaving, leavingShare);
