import { maxEventBytes, parseJson, SseSplitter } from '@tollgate/dialects/surface';
import type { IncomingHttpHeaders } from 'node:http';
import { InnerRequest, InnerResponse } from '../../generation/inner-exchange';
import { errorEvent, headersEvent, socketEvent } from './socket-events';
import type { LargeBody } from '../../generation/large-body';
import type { TurnRequest } from './turn-request';

/**
 * What a turn works with. `headers`: of the request that the connection began with. `tellsHeaders`: those of
 * each answer are told, also where there is nothing to warn of.
 */
interface SocketTurnParts {
  readonly asked: TurnRequest;
  readonly body: Buffer | LargeBody;
  readonly requestId: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
  readonly tellsHeaders: boolean;
  /** Sends events; `done` is called when the caller's socket has taken them. */
  send(events: readonly string[], done: () => void): void;
}

/** These belong to the connection, or to its first request alone. */
const connectionHeaders =
  /^(?:connection|upgrade|sec-websocket-.+|content-(?:length|encoding|type)|transfer-encoding|expect|x-request-id)$/;
/** Told in the events themselves, or of no use there. */
const streamHeaders = /^(?:content-type|cache-control|x-accel-buffering|connection)$/;

/**
 * One response that is made on a connection: a request as it would be posted, and its answer told as events
 * of the connection.
 */
export class SocketTurn {
  readonly message: InnerRequest;
  readonly raw: InnerResponse;
  /** The status of its answer; null: there is none yet. */
  status: number | null = null;
  /** Resolves when it is over, however it ended. */
  readonly over: Promise<void>;
  private readonly splitter = new SseSplitter(maxEventBytes);
  private headers: Record<string, string> = {};
  private pieces: Uint8Array[] = [];
  private isWhole = false;
  private hasLeft = false;

  constructor(private readonly parts: SocketTurnParts) {
    const { body, requestId, path, headers, remoteAddress } = parts;
    const own = Object.entries(headers).filter(([name]) => !connectionHeaders.test(name));
    const all = { ...Object.fromEntries(own), 'content-type': 'application/json', 'x-request-id': requestId };
    this.message = new InnerRequest(path, all, body, remoteAddress);
    this.raw = new InnerResponse({
      head: (status, told) => this.head(status, told),
      data: (bytes, done) => this.data(bytes, done),
      end: () => this.end(),
    });
    // To break it off is no fault.
    this.raw.on('error', () => undefined);
    this.over = new Promise((resolve) => this.raw.once('close', () => resolve(this.closed())));
  }

  /** The caller is gone, or wants no more of it. */
  leave(): void {
    this.hasLeft = true;
    this.message.leave();
    this.raw.destroy();
  }

  private head(status: number, headers: Record<string, string>): void {
    this.status = status;
    this.headers = headers;
    const { tellsHeaders, asked } = this.parts;
    if (status !== 200 || !(tellsHeaders || headers['x-gateway-warnings'] !== undefined)) return;
    const told = Object.entries(headers).filter(([name]) => !streamHeaders.test(name));
    this.parts.send([headersEvent(Object.fromEntries(told), asked.lane)], () => undefined);
  }

  private data(bytes: Uint8Array, done: () => void): void {
    if (this.status !== 200) {
      this.pieces.push(bytes);
      return done();
    }
    const events: string[] = [];
    this.splitter.push(bytes, (event) => {
      const text = socketEvent(event, this.parts.asked.lane);
      if (text !== null) events.push(text);
    });
    this.parts.send(events, done);
  }

  private end(): void {
    this.isWhole = true;
    if (this.status === null || this.status === 200) return;
    this.tellError(this.status, parseJson(Buffer.concat(this.pieces).toString('utf8')));
  }

  private closed(): void {
    if (!this.isWhole && !this.hasLeft) this.tellError(500, null);
  }

  private tellError(status: number, told: unknown): void {
    this.parts.send([errorEvent(status, told, this.parts.asked.lane, this.headers)], () => undefined);
  }
}
