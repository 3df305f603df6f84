import type { GatewayError, GenerationHead } from '@tollgate/contracts';
import type { SurfaceDialect, ToldCost } from '@tollgate/dialects/surface';
import type { Clock } from '../clock';
import type { Answer } from './answer';
import { answerHeaders } from './answer-headers';
import { streamHeaders } from './caller-response';
import type { CallerResponse } from './caller-response';
import { ClosingEvent } from './closing-event';
import { EventBoundary } from './event-boundary';

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
