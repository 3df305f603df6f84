import { Injectable } from '@nestjs/common';
import type { GatewayError } from '@tollgate/contracts';
import type { GenerationHead, GenerationRequest } from '@tollgate/contracts/inference';
import type { SurfaceDialect, ToldCost } from '@tollgate/dialects/surface';
import { ConcurrencyGate } from '../admission/admission';
import { Clock } from '../clock';
import { ContentLogging } from '../content-log/content-logging';
import type { Ending } from '../content-log/content-record';
import { TurnKeeper } from '../responses/turn-keeper';
import { Settings } from '../settings';
import { streamHeaders, type CallerResponse } from './caller-response';
import { ClosingEvent } from './closing-event';
import type { Incoming, Served } from './served-request';
import { costHeader, costHeaders, unconfirmedHeader } from './told-cost';

/** What callers are answered with, and what is over with an answer. */
@Injectable()
export class CallerAnswers {
  constructor(
    private readonly turns: TurnKeeper,
    private readonly contentLog: ContentLogging,
    private readonly gate: ConcurrencyGate,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /**
   * The answer to a request that goes on now, kept where it can be gone on from, gathered where it is logged.
   * `headers`: what else is known when it begins.
   */
  begin(
    { response, context, operation: { surface }, work }: Incoming,
    { sent: { read }, record, tellsCost, turn, held }: Served,
    headers: () => Record<string, string>,
  ): Answer {
    const told = read.stream
      ? new StreamAnswer(response, surface, this.settings.keepAliveMs, this.clock, headers, tellsCost)
      : new PlainAnswer(response, tellsCost);
    const stream = read.stream ? surface : null;
    const onOver = (run: () => void) => held.onRelease(run);
    const kept = turn && !work ? this.turns.keeping(turn, { answer: told, response, context, stream, onOver }) : told;
    const answer = work ? work.keeping(kept) : kept;
    if (!record) return answer;
    this.contentLog.began(record);
    return record.gather(answer, surface, read.stream);
  }

  /** The request is answered: what is logged of it is whole. */
  ended({ record }: Served, request: GenerationRequest, ending: Omit<Ending, 'endedAt'>): void {
    if (record) this.contentLog.ended(record, request, ending);
  }

  /** Gives back the request's place among those of its key, and the memory of its body. */
  letGo({ admitted, held }: Pick<Served, 'admitted' | 'held'>): void {
    this.gate.leave(admitted.caller.key);
    held.release();
  }
}

/** How the answer of a generation is handed to its caller. `headers` are ready for the caller. */
export interface Answer {
  head(head: GenerationHead): void;
  data(bytes: Uint8Array): void;
  /**
   * `cost`: what the caller is to be told that it pays; absent: it asked for nothing of that kind. A promise:
   * something must be done before, and it resolves when the end is told.
   */
  end(cost?: ToldCost): void | Promise<void>;
  /** `headers` say what is known of the attempt, for an answer that has not begun. */
  fail(error: GatewayError, headers: Record<string, string>): void;
  /** Called about once a second. */
  tick(nowMs: number): void;
}

const eventEnd = Buffer.from('\n\n');

/**
 * A streamed answer. It begins with its first bytes, so that a failure before them is a plain error with its
 * own status; when there are none for `keepAliveMs`, it begins with a comment that keeps the connection open,
 * and comments follow in every such silence.
 */
export class StreamAnswer implements Answer {
  private readonly boundary = new EventBoundary();
  /** Null: nothing is to be told in front of it. */
  private readonly closing: ClosingEvent | null;
  private begun = false;
  private pendingHead: GenerationHead | null = null;
  private writtenAtMs: number;

  constructor(
    private readonly response: CallerResponse,
    private readonly surface: SurfaceDialect,
    private readonly keepAliveMs: number,
    private readonly clock: Clock,
    /** What is known of the attempt, for a stream that begins before its head. */
    private readonly attemptHeaders: () => Record<string, string>,
    tellsCost = false,
  ) {
    this.closing = tellsCost ? new ClosingEvent(surface) : null;
    this.writtenAtMs = clock.monotonicMs();
  }

  head(head: GenerationHead): void {
    this.pendingHead = head;
  }

  data(bytes: Uint8Array): void {
    this.begin();
    this.writtenAtMs = this.clock.monotonicMs();
    this.write(this.closing?.push(bytes) ?? bytes);
    // What waits for the price must not use up the window of its sender.
    const waiting = this.closing?.waited() ?? 0;
    if (waiting > 0) this.response.onConsumed(waiting);
  }

  end(cost?: ToldCost): void {
    this.begin();
    const { closing, surface } = this;
    if (!closing) return this.response.end();
    const told = cost === undefined ? [] : [surface.costEvent(cost, closing.first)];
    this.response.end(Buffer.concat([...told, ...closing.rest()]));
  }

  fail(error: GatewayError, headers: Record<string, string>): void {
    if (!this.begun) return this.response.fail(error, headers);
    const ending = this.surface.streamError(error);
    const rest = this.closing?.undecided() ?? '';
    if (rest !== '') this.write(Buffer.from(rest, 'latin1'));
    // An event that was cut in the middle must not swallow the error.
    this.response.end(this.boundary.isBetweenEvents ? ending : Buffer.concat([eventEnd, ending]));
  }

  tick(nowMs: number): void {
    if (nowMs - this.writtenAtMs < this.keepAliveMs || !this.boundary.isBetweenEvents) return;
    this.begin();
    this.writtenAtMs = nowMs;
    this.response.writeOwn(this.surface.keepAlive);
  }

  private write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.boundary.push(bytes);
    this.response.write(bytes);
  }

  private begin(): void {
    if (this.begun) return;
    this.begun = true;
    const head = this.pendingHead ?? { status: 200, headers: this.attemptHeaders() };
    this.response.begin(head.status, { ...streamHeaders, ...answerHeaders(head.headers) });
  }
}

/**
 * Answers up to this size, in bytes, are sent in one piece with their length, so that a failure half-way is
 * still a plain error.
 */
const wholeUpTo = 1_048_576;

/** An answer that is no stream. */
export class PlainAnswer implements Answer {
  private readonly pieces: Uint8Array[] = [];
  private gathered = 0;
  private begun = false;
  private pendingHead: GenerationHead = { status: 200, headers: {} };

  constructor(
    private readonly response: CallerResponse,
    private readonly tellsCost = false,
  ) {}

  head(head: GenerationHead): void {
    this.pendingHead = head;
  }

  data(bytes: Uint8Array): void {
    if (this.begun) return this.response.write(bytes);
    this.pieces.push(bytes);
    this.gathered += bytes.length;
    this.response.onConsumed(bytes.length);
    if (this.gathered <= wholeUpTo) return;
    this.begin(null);
    for (const piece of this.pieces.splice(0)) this.response.writeOwn(piece);
  }

  end(cost?: ToldCost): void {
    const told = cost && costHeaders(cost);
    if (this.begun) return this.response.end(undefined, this.response.takesTrailers ? told : undefined);
    this.begin(this.gathered, told);
    const [only] = this.pieces;
    this.response.end(this.pieces.length === 1 ? only : Buffer.concat(this.pieces, this.gathered));
  }

  fail(error: GatewayError, headers: Record<string, string>): void {
    if (this.begun) this.response.abort();
    else this.response.fail(error, headers);
  }

  tick(): void {
    // A plain answer has no way to keep its connection busy.
  }

  /** `length` null: not known yet. */
  private begin(length: number | null, told?: Record<string, string>): void {
    this.begun = true;
    const headers = answerHeaders(this.pendingHead.headers);
    Object.assign(headers, told);
    if (length === null && this.tellsCost && this.response.takesTrailers)
      headers.trailer = `${costHeader}, ${unconfirmedHeader}`;
    headers['content-type'] ??= 'application/json';
    if (length !== null) headers['content-length'] = String(length);
    this.response.begin(this.pendingHead.status, headers);
  }
}

/** Whether the sandbox gave this answer; inference alone knows. */
export function isSimulatedAnswer({ headers }: GenerationHead): boolean {
  return headers['x-gateway-sandbox'] === 'true';
}

/**
 * What an upstream's or inference's head may tell the caller: an allow-list, so that no cookie, account or
 * upstream limit ever gets through.
 */
const allowed = new Set([
  'content-type',
  'x-gateway-provider',
  'x-gateway-model',
  'x-gateway-attempts',
  'x-gateway-warnings',
]);

/** The headers of a generation's head that reach the caller, in an object of the receiver's own. */
export function answerHeaders(headers: Record<string, string>): Record<string, string> {
  const told: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && allowed.has(name.toLowerCase())) told[name] = value;
  }
  return told;
}

const twoLineFeeds = 0x0a0a;
const twoReturns = 0x0d0d;
const twoBoth = 0x0d0a0d0a;

/** Follows the bytes of an event stream and knows whether they stand between two whole events. */
export class EventBoundary {
  /** The last four bytes, the latest lowest. A stream begins as it goes on behind an event. */
  private tail = twoLineFeeds;

  /** True before the first byte and right after an event's empty line. */
  get isBetweenEvents(): boolean {
    const { tail } = this;
    const two = tail & 0xffff;
    return two === twoLineFeeds || two === twoReturns || tail === twoBoth;
  }

  push(bytes: Uint8Array): void {
    for (let at = Math.max(0, bytes.length - 4); at < bytes.length; at++)
      this.tail = (this.tail << 8) | (bytes[at] ?? 0);
  }
}
