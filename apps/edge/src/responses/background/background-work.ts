import type { BackgroundWorkRecord } from '@tollgate/contracts/metering';
import { costMembers, isRecord, type ToldCost } from '@tollgate/dialects/surface';
import type { Answer } from '../../generation/answer';
import { InnerResponse } from '../../generation/inner-exchange';
import type { TurnToKeep } from '../stateful-requests';
import type { EventLog } from './event-log';

/**
 * What is known of the work when it begins. `waiting`: the response as it stands until something has come of
 * it. `mostBytes`: a longer answer is not kept.
 */
export interface BackgroundParts {
  readonly record: BackgroundWorkRecord;
  /** How often it was begun, this time included. */
  readonly making: number;
  readonly waiting: Record<string, unknown>;
  readonly turn: TurnToKeep;
  readonly mostBytes: number;
  /** Its events as they are kept; null: it is no stream. */
  readonly log: EventLog | null;
  /** What came of it is to be kept now. Never rejects. */
  readonly settle: (work: BackgroundWork) => Promise<void>;
}

/**
 * How the generation ended. `status`: of the answer; null: it broke off. `body`: what it says, parsed; null:
 * nothing that can be read.
 */
interface Outcome {
  readonly status: number | null;
  readonly body: unknown;
}

/** A response that is made while nobody waits for it: what the generation writes its answer to. */
export class BackgroundWork {
  readonly raw: InnerResponse;
  /** Its caller wants no more of it. */
  isCancelled = false;
  /** Another edge has it, or it was removed. */
  isLost = false;
  /** Resolves when what came of it is kept. */
  readonly settled: Promise<void>;
  private outcome: Outcome = { status: null, body: null };
  private status: number | null = null;
  /** What its caller asked to be told of its charge; null: nothing. */
  private cost: ToldCost | null = null;
  private readonly loseListeners: (() => void)[] = [];
  private pieces: Uint8Array[] = [];
  private bytes = 0;

  constructor(readonly parts: BackgroundParts) {
    this.raw = new InnerResponse({
      head: (status) => (this.status = status),
      data: (bytes, done) => {
        if (this.isStreaming) parts.log?.push(bytes);
        else this.gather(bytes);
        done();
      },
      end: () => (this.outcome = this.told()),
    });
    this.settled = new Promise((resolve) => {
      this.raw.once('close', () => void parts.settle(this).then(resolve));
    });
    // To break it off is no fault.
    this.raw.on('error', () => undefined);
  }

  /** Calls this when the generation is to stop as one that somebody else accounts for. */
  onLost(listener: () => void): void {
    this.loseListeners.push(listener);
  }

  get id(): string {
    return this.parts.record.id;
  }

  /** The status that the generation was answered with; null: it broke off. */
  get answered(): number | null {
    return this.outcome.status;
  }

  /** Ends the generation, whose caller wants no more of it. */
  cancel(): void {
    this.isCancelled = true;
    this.raw.destroy();
  }

  /** It cannot be made: its response says why. */
  refuse(message: string): void {
    this.outcome = { status: 400, body: { error: { message } } };
    this.raw.destroy();
  }

  /** Ends the generation, which is somebody else's. */
  lose(): void {
    this.isLost = true;
    for (const listener of this.loseListeners) listener();
    this.raw.destroy();
  }

  /** An answer whose generation is not over before what came of it is kept. */
  keeping(answer: Answer): Answer {
    return {
      head: (head) => answer.head(head),
      data: (bytes) => answer.data(bytes),
      end: async (cost) => {
        this.cost = cost ?? null;
        await answer.end(cost);
        await this.settled;
      },
      fail: (error, headers) => answer.fail(error, headers),
      tick: (nowMs) => answer.tick(nowMs),
    };
  }

  /** The response in its last form. */
  final(): Record<string, unknown> {
    const { waiting } = this.parts;
    if (this.isCancelled) return { ...waiting, status: 'cancelled' };
    const told = this.outcome.body;
    if (this.outcome.status !== 200) return failed(waiting, this.outcome.status, messageIn(told));
    if (this.bytes > this.parts.mostBytes) return failed(waiting, 500, 'The answer is larger than what can be kept.');
    if (!isRecord(told) || !Array.isArray(told.output)) return failed(waiting, 502, 'The answer could not be read.');
    const { id, created_at, background, store } = waiting;
    return { ...told, id, created_at, background, store, ...(this.cost && costMembers(this.cost)) };
  }

  private get isStreaming(): boolean {
    return this.parts.log !== null && this.status === 200;
  }

  /** A stream that was ended by an error has no answer: what another edge makes of it may have one. */
  private told(): Outcome {
    const { log } = this.parts;
    if (!log || !this.isStreaming) return { status: this.status, body: readJson(Buffer.concat(this.pieces)) };
    return log.response ? { status: 200, body: log.response } : { status: 502, body: log.fault };
  }

  private gather(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.bytes > this.parts.mostBytes) this.pieces = [];
    // A copy: the bytes lie in a larger message, which would be kept with them.
    else this.pieces.push(Uint8Array.from(bytes));
  }
}

/**
 * A response that nothing came of.
 * https://platform.openai.com/docs/api-reference/responses/object#responses/object-error
 */
function failed(waiting: Record<string, unknown>, status: number | null, message: string): Record<string, unknown> {
  const isCallers = status !== null && status >= 400 && status < 500;
  const code = status === 429 ? 'rate_limit_exceeded' : isCallers ? 'invalid_prompt' : 'server_error';
  return { ...waiting, status: 'failed', error: { code, message } };
}

function messageIn(told: unknown): string {
  const error = isRecord(told) ? told.error : null;
  return isRecord(error) && typeof error.message === 'string' ? error.message : 'The answer broke off.';
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
