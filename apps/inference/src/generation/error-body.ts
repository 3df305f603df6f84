import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import { BoundedBody } from './bounded-body';

/** Enough for any error message; providers' own are a few hundred bytes. */
const maxBytes = 64 * 1024;
/** An error is written at once, behind its head. What does not end by then is not waited for. */
const maxMs = 2_000;

const empty = new Uint8Array(0);

/** Of a body that did not end, what came is read. */
const zlibBounds = { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH };
const brotliBounds = { maxOutputLength: maxBytes, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** By content coding: https://www.iana.org/assignments/http-parameters/http-parameters.xhtml#content-coding */
const decoders: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, zlibBounds),
  'x-gzip': (bytes) => gunzipSync(bytes, zlibBounds),
  deflate: (bytes) => inflateSync(bytes, zlibBounds),
  br: (bytes) => brotliDecompressSync(bytes, brotliBounds),
};

/** The content coding of an answer, as its header names it; none is `identity`. */
export function encodingOf(header: string | undefined): string {
  return header?.trim().toLowerCase() || 'identity';
}

/**
 * The body of an HTTP error, as far as it is small and comes in time. A hop before a provider may compress it
 * although nobody asked for that.
 */
export class ErrorBody {
  private readonly body = new BoundedBody(maxBytes);
  private readonly timer: NodeJS.Timeout;

  /** `onEnough`: no more of it is waited for. */
  constructor(
    private readonly encoding: string,
    private readonly onEnough: () => void,
  ) {
    // After this process stood still, what came meanwhile is read first.
    this.timer = setTimeout(() => setImmediate(onEnough), maxMs);
  }

  push(bytes: Uint8Array): void {
    this.body.push(bytes);
    if (this.body.full) this.onEnough();
  }

  /** Nothing is waited for any more. */
  stop(): void {
    clearTimeout(this.timer);
  }

  /** What it says; nothing where it cannot be decoded: those bytes are no text. */
  bytes(): Uint8Array {
    const decode = Object.hasOwn(decoders, this.encoding) ? decoders[this.encoding] : undefined;
    try {
      return decode?.(this.body.bytes()) ?? empty;
    } catch {
      return empty;
    }
  }
}
