import { ControlError } from '@tollgate/contracts';
import { backgroundEventsId } from '@tollgate/contracts/metering';
import type { BackgroundWorkRecord } from '@tollgate/contracts/metering';
import { GatheredStream, isRecord } from '@tollgate/dialects/surface';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnStore } from '../turn-store';

/**
 * The first event of a making has this number times the makings before it: a number says which making it is
 * of, and no two share one.
 */
export const numbersOfMaking = 1_000_000;

/** Events wait so long for others, to be kept as one piece, milliseconds; and at most so many bytes do. */
const gatherMs = 250;
const pieceBytes = 65_536;
/** A piece waits so long between two tries to keep it, milliseconds. */
const keepAgainMs = 1_000;
const none = Buffer.from('[]');
/**
 * With these a stream ends. https://developers.openai.com/api/reference/resources/responses/streaming-events
 */
const closing = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);
/** The log tells these itself, first of all. */
const opening = new Set(['response.created', 'response.queued']);

/** What a log works with. `mostBytes`: of all its events; those behind them are not kept. */
interface EventLogParts {
  readonly turns: Pick<TurnStore, 'keep'>;
  readonly record: BackgroundWorkRecord;
  readonly making: number;
  readonly waiting: Record<string, unknown>;
  readonly mostBytes: number;
  /** Nobody waits any more for what is not kept yet. */
  readonly isOver: () => boolean;
}

/**
 * The events of one making of a streamed response, kept piece by piece while it is made, each with its
 * number. What closes the stream is told from the response in its last form.
 */
export class EventLog {
  /** The response with which the stream was closed; null: it was not, or by an error. */
  response: Record<string, unknown> | null = null;
  /** Why the stream broke off; null: nothing was said. */
  fault: unknown = null;
  private readonly stream: GatheredStream;
  private number: number;
  private piece = 0;
  private lines: string[] = [];
  private lineBytes = 0;
  private bytes = 0;
  /** A piece could not be kept: those behind it are not, either. */
  private isBroken = false;
  private timer: NodeJS.Timeout | undefined;
  private kept: Promise<void> = Promise.resolve();

  constructor(private readonly parts: EventLogParts) {
    this.number = (parts.making - 1) * numbersOfMaking;
    const add = (_: string, event: Record<string, unknown>) => this.take(event);
    this.stream = new GatheredStream({ add, answer: () => null }, Infinity);
    for (const type of opening) this.add({ type, response: parts.waiting });
    this.flush();
  }

  push(bytes: Uint8Array): void {
    this.stream.push(bytes);
  }

  /** Resolves when all that came is kept, or given up. Never rejects. */
  async close(): Promise<void> {
    this.flush();
    await this.kept;
  }

  private take(event: Record<string, unknown>): void {
    const { type, response } = event;
    if (typeof type !== 'string' || opening.has(type)) return;
    if (closing.has(type)) {
      // There are servers that leave the list out that their events told before.
      this.response = isRecord(response) ? { output: [], ...response } : null;
      this.fault = event;
      return;
    }
    const { id, created_at, background, store } = this.parts.waiting;
    this.add(isRecord(response) ? { ...event, response: { ...response, id, created_at, background, store } } : event);
  }

  private add(event: Record<string, unknown>): void {
    const { mostBytes, making } = this.parts;
    if (this.bytes > mostBytes || this.number >= making * numbersOfMaking - 1) return;
    const line = JSON.stringify({ ...event, sequence_number: this.number++ });
    this.bytes += line.length;
    this.lineBytes += line.length;
    this.lines.push(line);
    if (this.lineBytes > pieceBytes) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), gatherMs).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.lines.length === 0) return;
    const input = Buffer.from(`[${this.lines.splice(0).join(',')}]`);
    this.lineBytes = 0;
    const piece = this.piece++;
    this.kept = this.kept.then(() => this.keep(input, piece));
  }

  /** Never rejects: a log with a gap ends there, and its response is told whole. */
  private async keep(input: Buffer, piece: number): Promise<void> {
    const { turns, record, making, isOver } = this.parts;
    const { accountId, keyId, bornAt } = record;
    const id = backgroundEventsId(record.id, making, piece);
    const turn = {
      accountId,
      keyId,
      id,
      bornAt,
      previous: null,
      itemIds: [],
      turn: { input, output: none, rest: none },
    };
    while (!isOver() && !this.isBroken)
      try {
        return await turns.keep(turn);
      } catch (error) {
        if (!(error instanceof ControlError) || error.code !== 'unavailable') this.isBroken = true;
        await sleep(keepAgainMs, undefined, { ref: false });
      }
  }
}
