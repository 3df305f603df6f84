import * as zlib from 'node:zlib';
import { IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { GatewayError } from '@tollgate/contracts';
import { dropPiece } from '@tollgate/messaging';
import type { RequestMessage } from './inner-exchange';
import { takeUnread } from '../http/unread-bodies';
import { Unreadable } from './body-turns';

/**
 * `hasThreads`: what this Node cannot decompress is decompressed on threads.
 * @throws GatewayError 415 unless the body is announced as JSON, plain or in an encoding that can be read.
 */
export function checkContentType(headers: IncomingHttpHeaders, hasThreads = false): void {
  const type = headers['content-type'] ?? '';
  if (!/^\s*application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type))
    throw new GatewayError(415, 'The request body must be sent with Content-Type: application/json.');
  checkEncoding(headers['content-encoding'], hasThreads);
}

/** When a caller may come again that waited for memory in vain, seconds. */
const retryAfterS = 5;
/** How long a caller whose rest is not read has to read its answer, milliseconds. */
const answerTimeMs = 1_000;

/** The rest of a refused body is read and thrown away, so that the caller gets to read the answer. */
export function leaveRest(request: RequestMessage, refusal: unknown): void {
  request.removeAllListeners('data');
  if (!(refusal instanceof Unreadable)) return takeUnread(request);
  request.pause();
  setTimeout(() => request.destroy(), answerTimeMs).unref();
}

export function tooLarge(limit: number): GatewayError {
  return new GatewayError(413, `The request body is larger than ${limit} bytes, which is the most that is accepted.`);
}

/** What compression may add to bytes that it cannot make fewer, at the most. */
const mostOverhead = 1.01;
const freeOverhead = 1_024;

/** Whether so many bytes, compressed or not, were sent for a body that they cannot be one of `limit` bytes. */
export function isMoreThanFits(sentBytes: number, limit: number): boolean {
  return sentBytes > limit * mostOverhead + freeOverhead;
}

export function memoryFull(): GatewayError {
  return new GatewayError(503, 'The gateway holds as many large requests as it can; try again shortly.', retryAfterS);
}

type Decoder = () => Transform;
type CreateDecoder = (options: { chunkSize: number; params: Record<number, number> }) => Transform;

/**
 * What comes of a decoder in one piece, bytes: a quarter of the pieces that Node's own 16 KiB would make of a
 * large body, each with a turn of the event loop.
 */
const chunkSize = 65_536;

/**
 * What a decoder has while its body comes, bytes, beside what is taken of it: a piece that nobody took, the
 * one that it goes on with, and its window. https://www.rfc-editor.org/rfc/rfc1951#section-2
 */
const decoderBytes = 2 * chunkSize + 40_960;

/**
 * The encodings that a body may come in:
 * https://www.iana.org/assignments/http-parameters/http-parameters.xhtml#content-coding
 */
const decoders: Readonly<Record<string, Decoder | undefined>> = {
  gzip: () => zlib.createGunzip({ chunkSize }),
  'x-gzip': () => zlib.createGunzip({ chunkSize }),
  br: () => zlib.createBrotliDecompress({ chunkSize }),
  zstd: zstdDecoder(),
};

/**
 * What a frame's header may ask for is taken beside the memory of bodies: by itself zstd gives it 128 MiB, of
 * which HTTP has 8. https://www.rfc-editor.org/rfc/rfc9659#section-3
 */
const zstdBounds = {
  // ZSTD_d_windowLogMax, https://github.com/facebook/zstd/blob/v1.5.7/lib/zstd.h
  100: 23,
};

/**
 * Node has it since 22.15: https://nodejs.org/api/zlib.html#zlibcreatezstddecompressoptions
 * An older one has none: see decision 0014.
 */
function zstdDecoder(): Decoder | undefined {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  return typeof create === 'function' ? () => (create as CreateDecoder)({ chunkSize, params: zstdBounds }) : undefined;
}

/** True when a body is sent compressed, so that its length says nothing of what it will be. */
export function isEncoded(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding.trim() !== '' && encoding.trim().toLowerCase() !== 'identity';
}

/**
 * True for a body that is decompressed when all of it is here, on a thread: this Node has no zstd of its own.
 */
export function isZstdForThread(encoding: string | undefined): boolean {
  return nameOf(encoding) === 'zstd' && !decoders.zstd;
}

/**
 * `hasThreads`: what this Node cannot decompress is decompressed on threads.
 * @throws GatewayError 415 for an encoding that cannot be read here, naming those that can.
 */
function checkEncoding(encoding: string | undefined, hasThreads: boolean): void {
  if (!isEncoded(encoding) || decoderOf(encoding) || (hasThreads && isZstdForThread(encoding))) return;
  const known = Object.keys(decoders).filter(
    (name) => name !== 'x-gzip' && (decoders[name] || (hasThreads && isZstdForThread(name))),
  );
  throw new GatewayError(
    415,
    `The request body must be sent without a Content-Encoding, or with one of: ${known.join(', ')}.`,
  );
}

/**
 * The body as it was before it was compressed. Its encoding was checked. A body that is not what it says
 * fails the stream. `admit` resolves when there is memory of so many bytes, which a decoder may fill before
 * it hands anything on; what fails it is told to nobody here.
 */
export function decoded(request: RequestMessage, admit: (bytes: number) => Promise<void>): Readable {
  const encoding = request.headers['content-encoding'];
  const decoder = decoderOf(encoding)?.();
  if (!decoder) return request;
  return nameOf(encoding) === 'br' ? admitted(request, decoder, admit) : request.pipe(decoder);
}

/** What counts for the decoder of a body while it comes; that of Brotli is waited for, with its window. */
export function decoderBytesOf(encoding: string | undefined): number {
  return decoderOf(encoding) && nameOf(encoding) !== 'br' ? decoderBytes : 0;
}

/**
 * Brotli writes all of its window, up to 16 MiB, before it hands on the first byte: 51 bytes that go no
 * further took as much, beside all that was counted. https://www.rfc-editor.org/rfc/rfc7932#section-2
 */
function admitted(request: RequestMessage, decoder: Transform, admit: (bytes: number) => Promise<void>): Readable {
  const endEmpty = () => void decoder.end();
  request.once('end', endEmpty);
  request.once('data', (first: Buffer) => {
    request.off('end', endEmpty);
    request.pause();
    const begin = () => {
      decoder.write(first);
      request.pipe(decoder);
    };
    admit(brotliWindow(first[0] ?? 0)).then(begin, () => undefined);
  });
  return decoder;
}

/**
 * How many bytes back a Brotli stream that begins so may look, or the most where that is none:
 * https://www.rfc-editor.org/rfc/rfc7932#section-9.1
 */
export function brotliWindow(firstByte: number): number {
  const [large, small] = [(firstByte >> 1) & 7, (firstByte >> 4) & 7];
  if ((firstByte & 1) === 0) return 2 ** 16;
  if (large > 0) return 2 ** (17 + large);
  if (small === 1) return 2 ** 24;
  return 2 ** (small === 0 ? 17 : 8 + small);
}

export function notDecompressed(): GatewayError {
  return new GatewayError(400, 'The request body cannot be decompressed.');
}

function decoderOf(encoding: string | undefined): Decoder | undefined {
  const name = nameOf(encoding);
  return Object.hasOwn(decoders, name) ? decoders[name] : undefined;
}

function nameOf(encoding: string | undefined): string {
  return encoding?.trim().toLowerCase() ?? '';
}

/** A piece of a body that came as it is was copied: Node's parser made it for who reads it alone. */
export function dropCopied(request: RequestMessage, piece: Buffer): void {
  if (request instanceof IncomingMessage && !isEncoded(request.headers['content-encoding'])) dropPiece(piece);
}
