import type { IncomingHttpHeaders } from 'node:http';
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { LargeBody } from './large-body';

/** What is read of a request: Node's own, or one that began inside of this edge. */
export interface RequestMessage extends Readable {
  readonly headers: IncomingHttpHeaders;
  readonly url?: string | undefined;
  /** `destroyed`: its caller is gone. */
  readonly socket: { readonly remoteAddress?: string | undefined; readonly destroyed?: boolean } & Pick<
    EventEmitter,
    'once' | 'off'
  >;
  /** Its body, where that is whole already: nothing of it is read. */
  readonly large?: LargeBody | null;
}

/** What an answer is written to: Node's own response, or one that stays inside. */
export interface RawResponse extends Writable {
  readonly req: { readonly httpVersion: string };
  readonly socket: { readonly writableLength: number } | null;
  /** Whether its connection stays open for other requests. */
  readonly shouldKeepAlive: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  addTrailers(trailers: Record<string, string>): void;
}

/** A request that began inside of this edge, with its whole body. */
export class InnerRequest extends Readable implements RequestMessage {
  readonly method = 'POST';
  /** `remoteAddress`: of whoever it is for; absent: of nobody who is connected. */
  readonly socket: EventEmitter & { readonly remoteAddress?: string | undefined; destroyed: boolean };
  readonly headers: IncomingHttpHeaders;
  readonly large: LargeBody | null;

  constructor(
    readonly url: string,
    headers: IncomingHttpHeaders,
    body: Uint8Array | LargeBody,
    remoteAddress?: string,
  ) {
    super();
    const bytes = body instanceof LargeBody ? body.bytes : body;
    // All of it comes at once: its memory is waited for before it is read.
    this.headers = { ...headers, 'content-length': String(bytes.byteLength) };
    this.socket = Object.assign(new EventEmitter(), { remoteAddress, destroyed: false });
    this.large = body instanceof LargeBody ? body : null;
    if (!this.large) this.push(bytes);
    this.push(null);
  }

  /** Whoever it is for is gone, or wants no more of it. */
  leave(): void {
    this.socket.destroyed = true;
    this.socket.emit('close');
    this.destroy();
  }

  override _read(): void {
    // All of it is there.
  }
}

/** Who hears an answer that stays inside. `data`: calls `done` when it is rid of the bytes. */
export interface InnerListener {
  head(status: number, headers: Record<string, string>): void;
  data(bytes: Uint8Array, done: () => void): void;
  /** The answer was told to its end. */
  end(): void;
}

/**
 * The way back of a request that began inside of this edge. To destroy it is to leave, as a caller does who
 * hangs up.
 */
export class InnerResponse extends Writable implements RawResponse {
  readonly req = { httpVersion: '1.1' };
  readonly socket = null;
  readonly shouldKeepAlive = false;

  constructor(private readonly listener: InnerListener) {
    super();
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.listener.head(status, headers);
  }

  addTrailers(): void {
    // Nothing behind an answer is read here.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.listener.data(chunk, done);
  }

  override _final(done: () => void): void {
    this.listener.end();
    done();
  }
}
