import { once } from 'node:events';
import { constants, createGzip, gunzip } from 'node:zlib';
import { promisify } from 'node:util';
import { joinedInTurns } from '../generation/in-turns';

/** Of more bytes than that what comes out is large, perhaps, and comes in large pieces. */
const largeBytes = 262_144;

/**
 * These pieces as one gzip, made beside the event loop and put together in turns of it. By the 16 KiB that
 * are usual, 24 MiB came in 1,500 turns of the loop.
 */
export async function compressed(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const chunkSize = length > largeBytes ? largeBytes : constants.Z_DEFAULT_CHUNK;
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize });
  const made: Buffer[] = [];
  gzip.on('data', (piece: Buffer) => made.push(piece));
  const ended = once(gzip, 'end');
  for (const piece of pieces) gzip.write(piece);
  gzip.end();
  await ended;
  return joinedInTurns(made);
}

const gunzipped = promisify(gunzip);
/** https://nodejs.org/api/zlib.html#class-options */
const leastChunkBytes = 64;
const lengthBytes = 4;

/**
 * What gzip made smaller, in one piece that is written beside the event loop: by the 16 KiB that are usual,
 * 6 MiB came in 400 turns of the loop and were copied together in one more. How long it is stands at the end:
 * https://www.rfc-editor.org/rfc/rfc1952#section-2.3.1
 * @throws RangeError when it is larger than `mostBytes`; an error when it is no gzip.
 */
export function decompressed(bytes: Buffer, mostBytes: number): Promise<Buffer> {
  const told = bytes.length < lengthBytes ? 0 : bytes.readUInt32LE(bytes.length - lengthBytes);
  // With one byte more zlib sees that it is over, and Node takes no memory for a second piece.
  const chunkSize = Math.max(leastChunkBytes, Math.min(told, mostBytes) + 1);
  return gunzipped(bytes, { maxOutputLength: mostBytes, chunkSize });
}
