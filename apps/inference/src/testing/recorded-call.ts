import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UsageEvent } from '@tollgate/contracts';
import type { CancelReason, GenerationAttempt, GenerationFailure, GenerationHead } from '@tollgate/contracts/inference';
import type { GenerationCall } from '@tollgate/messaging';
import { aBody, aRequest } from './fixtures';

/** A call that remembers all it is told, in place of the one that comes over NATS. */
export class RecordedCall implements GenerationCall {
  readonly attempts: GenerationAttempt[] = [];
  readonly heads: GenerationHead[] = [];
  readonly failures: GenerationFailure[] = [];
  readonly events: (UsageEvent | null)[] = [];
  ends = 0;
  bytesWritten = 0;
  /** Bytes that may be written before the window is used up. */
  windowBytes = Number.POSITIVE_INFINITY;
  /** Hears each piece as it is written. */
  onWrite: (text: string) => void = () => undefined;
  stopReason: CancelReason | null = null;
  onStop: () => void = () => undefined;
  private readonly aborter = new AbortController();
  private readonly chunks: Buffer[] = [];
  private readonly waiting: (() => void)[] = [];

  constructor(
    readonly request = aRequest(),
    readonly body = aBody(request.stream),
  ) {}

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** What the caller was sent. */
  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  /** The one event. @throws Error when there is none, or more than one. */
  get event(): UsageEvent {
    const [event, ...more] = this.events;
    if (!event || more.length > 0) throw new Error(`${this.events.length} usage events`);
    return event;
  }

  cancel(reason: CancelReason): void {
    this.stopReason ??= reason;
    this.aborter.abort(reason);
    this.onStop();
  }

  /** Gives credit. */
  grant(bytes: number): void {
    this.windowBytes += bytes;
    for (const resume of this.waiting.splice(0)) resume();
  }

  async attempt(attempt: GenerationAttempt): Promise<void> {
    this.attempts.push(attempt);
    await nextTurn();
  }

  head(head: GenerationHead): void {
    this.heads.push(head);
  }

  write(bytes: Uint8Array): boolean {
    this.chunks.push(Buffer.from(bytes));
    this.bytesWritten += bytes.length;
    this.windowBytes -= bytes.length;
    this.onWrite(Buffer.from(bytes).toString());
    return this.windowBytes > 0;
  }

  drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push(resolve);
      this.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
  }

  end(event: UsageEvent | null): void {
    this.ends += 1;
    this.events.push(event);
  }

  fail(failure: GenerationFailure, event: UsageEvent | null): void {
    this.failures.push(failure);
    this.events.push(event);
  }
}
