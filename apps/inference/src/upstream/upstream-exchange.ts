import type { TimeLimits } from '@tollgate/contracts';
import type { Dispatcher } from 'undici';
import { ConnectionUse } from './connection-use';
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
