import type { GatewayError } from '@tollgate/contracts';
import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import { errorHeaders, errorText } from '../errors/error-reply';
import type { RequestContext, ResponseHeaders } from '../http/request-context';
import { leavingTurns } from './in-turns';
import type { RawResponse } from './inner-exchange';

/** A caller that takes nothing for this long after the answer is complete loses its connection. */
const lingerMs = 60_000;

/** An event stream must reach the caller as it is made: no proxy may hold or change it. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Edge and inference both have warnings for callers; they read all of them. */
const warningsHeader = 'x-gateway-warnings';

/**
 * The way back to one caller: writes to its socket, knows when it left, and tells when what was written is
 * out.
 */
export class CallerResponse {
  /** Called once when the caller hangs up before the answer was complete. */
  onLeft: () => void = () => undefined;
  /** Called with the number of bytes that left for the socket. */
  onConsumed: (bytes: number) => void = () => undefined;
  /** The status that was sent, null while none was. */
  status: number | null = null;
  private owedBytes = 0;
  private left = false;

  constructor(
    private readonly response: RawResponse,
    private readonly context: RequestContext,
    private readonly headers: ResponseHeaders,
    private readonly path: string,
    /**
     * Called once when the answer is over, with the status that the caller saw (499: it left before it saw
     * one).
     */
    onOver: (status: number) => void,
  ) {
    response.on('drain', () => this.drained());
    response.on('error', () => response.destroy());
    const over = () => onOver(this.status ?? 499);
    response.on('close', () => {
      if (response.writableFinished) return over();
      this.left = true;
      leavingTurns.soon(() => {
        this.onLeft();
        over();
      });
    });
  }

  get hasLeft(): boolean {
    return this.left || this.response.destroyed;
  }

  /** HTTP/1.0 knows no chunks, and so nothing behind an answer. */
  get takesTrailers(): boolean {
    return this.response.req.httpVersion !== '1.0';
  }

  begin(status: number, headers: Record<string, string>): void {
    if (this.hasLeft) return;
    this.status = status;
    const all = this.headers.of(this.context, this.response);
    const ours = all[warningsHeader];
    Object.assign(all, headers);
    const theirs = headers[warningsHeader];
    if (ours !== undefined && theirs !== undefined) all[warningsHeader] = `${ours}; ${theirs}`;
    this.response.writeHead(status, all);
  }

  /**
   * Writes and reports the bytes as consumed when the socket has taken them, which for a slow reader is
   * later.
   */
  write(bytes: Uint8Array): void {
    if (this.hasLeft) return;
    if (this.response.write(bytes)) this.onConsumed(bytes.length);
    else this.owedBytes += bytes.length;
  }

  /** Writes bytes that no credit was used for. */
  writeOwn(bytes: Uint8Array): void {
    if (!this.hasLeft) this.response.write(bytes);
  }

  /**
   * `trailers` stand behind an answer whose head had to go before they were known; its head has announced
   * them.
   */
  end(bytes?: Uint8Array | string, trailers?: Record<string, string>): void {
    if (this.hasLeft) return;
    if (trailers) this.response.addTrailers(trailers);
    this.response.end(bytes);
    // The system has all of it already, as a rule.
    if (this.response.socket?.writableLength === 0) return;
    const linger = setTimeout(() => this.response.destroy(), lingerMs).unref();
    this.response.once('close', () => clearTimeout(linger));
  }

  /** Answers with a JSON text, which no generation stands behind. */
  tell(text: string): void {
    this.begin(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
    });
    this.end(text);
  }

  /**
   * Answers with a stream that no generation stands behind, as fast as its caller takes it. One that breaks
   * off breaks the connection.
   */
  pour(stream: Readable): void {
    this.begin(200, streamHeaders);
    pipeline(stream, this.response, () => undefined);
  }

  /** Answers with an error; the answer must not have begun. */
  fail(error: GatewayError, headers: Record<string, string> = {}): void {
    const text = errorText(error, this.path, this.context.requestId);
    this.begin(error.status, {
      ...headers,
      ...errorHeaders(error, { program: this.context.program }),
      'content-length': String(Buffer.byteLength(text)),
    });
    this.end(text);
  }

  /**
   * Breaks the connection: the only way to tell that an answer, begun without a stream's means, is not
   * complete.
   */
  abort(): void {
    this.response.destroy();
  }

  private drained(): void {
    const bytes = this.owedBytes;
    this.owedBytes = 0;
    if (bytes > 0) this.onConsumed(bytes);
  }
}
