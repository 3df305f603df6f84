import { noUsage, uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type {
  GenerationAttempt,
  GenerationFailure,
  GenerationHead,
  GenerationRequest,
} from '@tollgate/contracts/inference';
import type { GenerationListener, PlaceKeeper } from '../generation/generation-stream';
import type { Owner } from '../memory/turns-by-owner';

/** A request with fresh ids. `headers` tell the scripted handler what to do. */
export function aRequest(headers: Record<string, string> = {}): GenerationRequest {
  return {
    kind: 'generate',
    requestId: uuidv7(),
    eventId: uuidv7(),
    keyId: 'key',
    accountId: 'account',
    surface: 'openai-chat',
    requestedModel: 'openai/gpt-4o',
    model: 'openai/gpt-4o',
    stream: true,
    includeUsage: true,
    startedAt: Date.now(),
    deadlineAt: Date.now() + 60_000,
    lease: null,
    traceparent: null,
    headers,
  };
}

/** A usage event of `output` tokens. */
export function anEvent(id: string, output = 1, state: UsageEvent['state'] = 'completed'): UsageEvent {
  return {
    id,
    requestId: id,
    keyId: 'key',
    accountId: 'account',
    requestedModel: 'openai/gpt-4o',
    model: 'openai/gpt-4o',
    surface: 'openai-chat',
    stream: true,
    state,
    status: 200,
    estimated: false,
    usage: { ...noUsage, input: 10, output },
    attempts: [],
    startedAt: 1,
    firstTokenAt: 2,
    endedAt: 3,
    lease: null,
    reportedBy: 'inference',
  };
}

/**
 * The bytes that the scripted handler sends as its chunk number `index`: other bytes for every request and
 * index.
 */
export function chunkOf(requestId: string, index: number, size: number): Buffer {
  return Buffer.alloc(size, `${requestId} ${index} `);
}

/** All that a scripted answer holds. */
export function answerOf(requestId: string, chunks: number, size: number): Buffer {
  return Buffer.concat(Array.from({ length: chunks }, (_, index) => chunkOf(requestId, index, size)));
}

/** Keeps what a listener hears, and lets a test wait for it. */
export class RecordingListener implements GenerationListener {
  readonly attempts: GenerationAttempt[] = [];
  readonly heads: GenerationHead[] = [];
  readonly chunks: Uint8Array[] = [];
  ended = false;
  /** What the end told of usage. */
  told: UsageEvent | null = null;
  failure: GenerationFailure | null = null;
  failedAt = 0;
  settlement: { accounted: boolean; usedTokens: number | null } | null = null;
  private waiters: { until: () => boolean; resolve: () => void }[] = [];

  /** `onBytes` is told of every chunk, to grant credit for it. */
  constructor(private readonly onBytes: (bytes: number) => void = () => undefined) {}

  get content(): Buffer {
    return Buffer.concat(this.chunks);
  }

  onAttempt(attempt: GenerationAttempt): void {
    this.attempts.push(attempt);
    this.wake();
  }

  onHead(head: GenerationHead): void {
    this.heads.push(head);
    this.wake();
  }

  onData(bytes: Uint8Array): void {
    this.chunks.push(bytes);
    this.onBytes(bytes.length);
    this.wake();
  }

  onEnd(told: UsageEvent | null): void {
    this.ended = true;
    this.told = told;
    this.wake();
  }

  onFail(failure: GenerationFailure): void {
    this.failure = failure;
    this.failedAt = performance.now();
    this.wake();
  }

  onSettled(accounted: boolean, usedTokens: number | null): void {
    this.settlement = { accounted, usedTokens };
    this.wake();
  }

  /** Resolves as soon as the condition holds. */
  async until(condition: () => boolean): Promise<void> {
    if (!condition()) await new Promise<void>((resolve) => this.waiters.push({ until: condition, resolve }));
  }

  async settled(): Promise<{ accounted: boolean; usedTokens: number | null }> {
    await this.until(() => this.settlement !== null);
    return this.settlement ?? { accounted: false, usedTokens: null };
  }

  private wake(): void {
    const ready = this.waiters.filter(({ until }) => until());
    this.waiters = this.waiters.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve();
  }
}

/** What is told to a key whose places are all taken. */
export const noPlace = { code: 'overloaded', status: 503, message: 'your share is used up', retryAfterS: 1 } as const;

/** So many places for each key. */
export class PlacesByKey implements PlaceKeeper {
  readonly taken = new Map<string, number>();

  constructor(private readonly each: number) {}

  enter({ keyId }: Owner) {
    const own = this.taken.get(keyId) ?? 0;
    if (own >= this.each) return noPlace;
    this.taken.set(keyId, own + 1);
    return null;
  }

  leave({ keyId }: Owner): void {
    const left = (this.taken.get(keyId) ?? 0) - 1;
    if (left > 0) this.taken.set(keyId, left);
    else this.taken.delete(keyId);
  }
}
