import { EventLoopTurns } from '@tollgate/messaging';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';

/** So much is handed to the sockets of all callers in one turn of the event loop, a piece of it at a time. */
const turnBytes = 262_144;
const pieceBytes = 65_536;

/** What becomes of the memory of answers that nobody has but who sends them. */
const ends = new WeakMap<Uint8Array, () => void>();

/** These bytes, of which `free` is called when they were sent as an answer, or their caller left. */
export function freedWhenSent<Bytes extends Uint8Array>(bytes: Bytes, free: () => void): Bytes {
  ends.set(bytes, free);
  return bytes;
}

/**
 * An answer as it is sent: one that is large in pieces, with its length. The system copies all that it has
 * room for while it is called, and what a caller reads meanwhile makes room for more (6 MiB: up to 8 ms of
 * CPU in one turn).
 */
export function inPieces(payload: unknown, reply: FastifyReply): unknown {
  if (!(payload instanceof Uint8Array) || payload.length <= pieceBytes) return payload;
  void reply.header('content-length', payload.length);
  const free = ends.get(payload);
  // Until then the system may still write of it.
  if (free) reply.raw.once('close', () => setImmediate(free));
  return Readable.from(piecesOf(payload));
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  let from = 0;
  await turnToSend();
  // Looked at after each wait: memory that was freed meanwhile has no length, and nobody to send it to.
  while (from < bytes.length) {
    yield bytes.subarray(from, from + pieceBytes);
    from += pieceBytes;
    await turnToSend();
  }
}

/** Resolves when a piece may be handed to its socket. */
function turnToSend(): Promise<void> {
  return new Promise((resolve) => sendingTurns.soon(resolve));
}

/** Of all answers of this process. Work is counted in pieces. */
const sendingTurns = new EventLoopTurns(turnBytes / pieceBytes);
