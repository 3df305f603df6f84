import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { TimeLimits } from '@tollgate/contracts/catalog';
import { ExchangeTimers } from './exchange-timers';
import { faultFromError, type UpstreamFault } from './upstream-fault';

/** Response headers, names in lower case; a header that came more than once is joined with `, `. */
export type UpstreamHeaders = Record<string, string>;
type RawHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * What an exchange tells, in this order: onHead?, onBytes*, then exactly one of onEnd and onFault; nothing
 * after `abort` or `letGo`.
 */
export interface UpstreamListener {
  onHead(status: number, headers: UpstreamHeaders): void;
  onBytes(bytes: Uint8Array): void;
  onEnd(): void;
  onFault(fault: UpstreamFault): void;
}

/** Our hold on one exchange with a provider. */
export interface UpstreamExchange {
  /** True once the request was handed to a connection: from then on the provider may have seen it. */
  readonly requestSent: boolean;
  pause(): void;
  resume(): void;
  /** Closes the connection. */
  abort(): void;
  /**
   * The answer is complete for us: the rest is thrown away, so that the connection can be used again. A
   * provider that does not close within a second loses it.
   */
  letGo(): void;
}

const letGoMs = 1_000;

/** One request and its answer over undici, under our own time limits. */
export class DispatchedExchange implements UpstreamExchange, Dispatcher.DispatchHandler {
  requestSent = false;
  /**
   * Sends the request once more, on a new connection. Null: it was, or is not to be.
   *
   * A provider closes what it kept as it likes, also while a request is on its way to it. That is no failure
   * of the provider: https://nodejs.org/api/http.html#requestreusedsocket
   * Proxies leave a POST alone then, as it may have been worked on (RFC 9110, 9.2.2). So may this one, by a
   * provider that fails within a second and says nothing; a next attempt would ask it again all the same.
   */
  sendAgain: (() => void) | null = null;
  /** Null: the request waits for a connection, or has given it back. */
  private use: ConnectionUse | null = null;
  private controller: Dispatcher.DispatchController | undefined;
  private over = false;
  private grace: NodeJS.Timeout | undefined;
  private readonly timers: ExchangeTimers;

  constructor(
    private readonly listener: UpstreamListener,
    timeouts: Required<TimeLimits>,
    totalMs: number,
  ) {
    this.timers = new ExchangeTimers(timeouts, totalMs, (code) => this.fail({ code, detail: null }));
  }

  /** True once the listener was told the end, or nothing more is wanted. */
  get isOver(): boolean {
    return this.over;
  }

  /** The request waits for a token or a signature, no longer than it may wait for a connection. */
  authorizing(): void {
    this.timers.connecting();
  }

  /** There is nothing to prove who we are with; nothing was sent. */
  notAuthorized(error: unknown): void {
    this.fail({ code: 'credentials_failed', detail: error instanceof Error ? error.name : null });
  }

  /** To be called after the dispatch: a request that found no free connection at once now waits for one. */
  dispatched(): void {
    if (!this.requestSent && !this.over) this.timers.connecting();
  }

  pause(): void {
    if (this.over) return;
    this.controller?.pause();
    this.timers.pause();
  }

  resume(): void {
    if (this.over) return;
    this.timers.resume();
    this.controller?.resume();
  }

  abort(): void {
    this.finish();
    if (!this.use?.close()) this.controller?.abort(new Error('aborted by the gateway'));
  }

  letGo(): void {
    if (this.over) return;
    this.finish();
    this.grace = setTimeout(() => this.abort(), letGoMs);
    this.controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.over) return this.abort();
    this.use = ConnectionUse.begin();
    this.requestSent = true;
    this.timers.sent();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (this.over || status < 200) return;
    this.timers.headArrived();
    this.listener.onHead(status, flatHeaders(headers));
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.over) return;
    this.timers.bytesArrived();
    this.listener.onBytes(bytes);
  }

  onResponseEnd(): void {
    clearTimeout(this.grace);
    this.use = null;
    if (this.over) return;
    this.finish();
    this.listener.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    clearTimeout(this.grace);
    if (this.over) return;
    const { use, sendAgain } = this;
    const fault = faultFromError(error, use !== null);
    this.use = null;
    this.sendAgain = null;
    if (use?.foundClosed(fault.detail) && sendAgain) {
      this.timers.connecting();
      return sendAgain();
    }
    this.finish();
    this.listener.onFault(fault);
  }

  private fail(fault: UpstreamFault): void {
    if (this.over) return;
    this.abort();
    this.listener.onFault(fault);
  }

  private finish(): void {
    this.over = true;
    this.timers.stop();
  }
}

function flatHeaders(headers: RawHeaders): UpstreamHeaders {
  const flat: UpstreamHeaders = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value === 'string') flat[name] = value;
    else if (Array.isArray(value)) flat[name] = value.join(', ');
  }
  return flat;
}

/**
 * A provider that closes a connection while a request is on its way to it is heard of within the time of a
 * way there and back. One that closes later may have worked on it.
 */
const closedWithinMs = 1_000;

/** One for all: each has the text of a stack made of it. */
const closedByUs = new Error('closed by the gateway');

/** Connections on which a request went out. */
const used = new WeakSet<Socket>();
/** Of the request that undici is about to write. */
let beginning: ConnectionUse | null = null;

/**
 * What one request found of the connection that it went out on. undici names that right before it writes, in
 * the same turn: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
 */
class ConnectionUse {
  private socket: Socket | null = null;
  private wasUsed = false;
  private bytesBefore = 0;
  private readonly sinceMs = performance.now();

  /** To be called when undici begins a request. */
  static begin(): ConnectionUse {
    beginning = new ConnectionUse();
    return beginning;
  }

  /**
   * Whether the provider had kept the connection, and closed it as the request came: a moment later, in order
   * and without a byte. `detail`: the code of what was lost. A reset may throw away what it had answered.
   */
  foundClosed(detail: string | null): boolean {
    const { socket, wasUsed, bytesBefore, sinceMs } = this;
    if (!wasUsed || (detail !== 'UND_ERR_SOCKET' && detail !== 'EPIPE')) return false;
    return socket?.bytesRead === bytesBefore && performance.now() - sinceMs < closedWithinMs;
  }

  /**
   * Closes the connection under the request, which must not be over; false: it has none yet. undici would
   * close it, too, and open another one at once for the request that was on it, which nobody wants any more:
   * a handshake for each caller who leaves.
   */
  close(): boolean {
    this.socket?.destroy(closedByUs);
    return this.socket !== null;
  }

  goesOutOn(socket: Socket): void {
    this.socket = socket;
    this.wasUsed = used.has(socket);
    this.bytesBefore = socket.bytesRead;
    used.add(socket);
  }
}

subscribe('undici:client:sendHeaders', (message) => {
  beginning?.goesOutOn((message as { socket: Socket }).socket);
  beginning = null;
});
