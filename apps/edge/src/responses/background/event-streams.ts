import { Injectable } from '@nestjs/common';
import { GatewayError, rateLimitError } from '@tollgate/contracts';
import { backgroundEventsId, mostBackgroundLogs } from '@tollgate/contracts/metering';
import { ownerOf, Authenticator, type Caller } from '../../callers/authenticator';
import { openaiResponsesSurface } from '@tollgate/dialects/surface';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallersWait } from '../../generation/caller-left';
import { Settings } from '../../settings';
import { ReadingMemory } from '../reading-memory';
import { joinedInTurns } from '../../generation/in-turns';
import { isWaiting, responseOf, restOf } from '../turn';
import { TurnStore } from '../turn-store';
import { BackgroundStore } from './background-store';
import { numbersOfMaking } from './event-log';

/**
 * So long a stream waits for its next events before it looks again, milliseconds: longer while nothing comes.
 */
const shortestWaitMs = 100;
const longestWaitMs = 1_000;
/** So many streams an account may follow at one edge at once. */
const mostFollowed = 100;
const crowdedRetryS = 1;

/** One making of a response of this caller. */
interface Making {
  readonly caller: Caller;
  readonly id: string;
  readonly making: number;
}

/** As a caller follows it. */
interface Followed extends Making {
  readonly waits: CallersWait;
}

/** A piece of the events. `bornAt`: of the response, as it was begun. */
interface Piece {
  readonly events: readonly KeptEvent[];
  readonly bornAt: number;
}

interface KeptEvent {
  readonly type: string;
  readonly sequence_number: number;
}

/** The event that ends a stream, with its number. */
type Ending = (number: number) => Uint8Array | Promise<Uint8Array>;

/**
 * The streams of responses in the background: from what is kept of their events, at any edge, while they are
 * made and afterwards.
 */
@Injectable()
export class EventStreams {
  private readonly leaving = new AbortController();
  private readonly followed = new Map<string, number>();

  constructor(
    private readonly turns: TurnStore,
    private readonly store: BackgroundStore,
    private readonly memory: ReadingMemory,
    private readonly authenticator: Authenticator,
    private readonly settings: Settings,
  ) {}

  /** Breaks all of them off: who reads one takes it up at another edge. */
  drain(): void {
    this.leaving.abort();
  }

  /** The stream of a response that was begun a moment ago. */
  begun(caller: Caller, id: string, waits: CallersWait): Readable {
    return this.stream({ caller, waits, id, making: 1 }, null);
  }

  /**
   * The stream of a kept response from the event after this number on; null: from its start. What is read
   * breaks off where it cannot be read, or the key is revoked.
   * @throws GatewayError 400 for one that was not streamed, or a number of a making that ended with its edge;
   * 429; 503 while nothing can be read.
   */
  async resumed(
    { caller, waits }: Pick<Followed, 'caller' | 'waits'>,
    id: string,
    after: number | null,
  ): Promise<Readable> {
    if ((this.followed.get(caller.key.accountId) ?? 0) >= mostFollowed)
      throw rateLimitError(crowdedRetryS, { limit: 'concurrency' });
    const making = await this.newestMaking(caller, id);
    // https://developers.openai.com/api/docs/guides/background#limits
    if (making === 0)
      throw new GatewayError(400, "stream: only a response that was created with 'background' and 'stream' has one");
    if (after !== null && after < firstNumber(making)) throw madeAgain();
    return this.stream({ caller, waits, id, making }, after);
  }

  private stream(followed: Followed, after: number | null): Readable {
    return Readable.from(this.follow(followed, after), { objectMode: false });
  }

  private async *follow(followed: Followed, after: number | null): AsyncGenerator<Uint8Array> {
    const { key, digest } = followed.caller;
    this.count(key.accountId, 1);
    try {
      let last = firstNumber(followed.making) - 1;
      const seen = after ?? last;
      let begunAt: number | null = null;
      let ending: Ending | null = null;
      let piece = after === null ? 0 : await this.pieceWith(followed, after + 1);
      for (let waitMs = shortestWaitMs, silentMs = 0; ;) {
        this.leaving.signal.throwIfAborted();
        await this.authenticator.find(digest);
        const kept = await this.piece(followed, piece);
        if (kept) {
          piece += 1;
          begunAt = kept.bornAt;
          last = kept.events.at(-1)?.sequence_number ?? last;
          const events = kept.events.filter(({ sequence_number: number }) => number > seen);
          [waitMs, silentMs] = [shortestWaitMs, 0];
          if (events.length > 0) yield Buffer.concat(events.map(told));
          continue;
        }
        if (ending) {
          last += 1;
          if (last > seen || ending === brokenOff) yield await ending(last);
          return;
        }
        // Where it has ended, a piece may have come since the last one was looked for.
        ending = await this.ending(followed, begunAt);
        if (ending) continue;
        await sleep(waitMs, undefined, { signal: this.leaving.signal, ref: false });
        [waitMs, silentMs] = [Math.min(waitMs * 2, longestWaitMs), silentMs + waitMs];
        if (silentMs < this.settings.keepAliveMs) continue;
        silentMs = 0;
        yield openaiResponsesSurface.keepAlive;
      }
    } finally {
      this.count(key.accountId, -1);
    }
  }

  /** Null: more events may come. @throws GatewayError 404 where the response was removed. */
  private async ending({ caller, waits, id, making }: Followed, begunAt: number | null): Promise<Ending | null> {
    const { accountId } = caller.key;
    const reader = { owner: ownerOf(caller.key), waits };
    if (await this.piece({ caller, id, making: making + 1 }, 0)) return brokenOff;
    if (await this.store.find({ accountId, id })) return null;
    const found = await this.memory.reading(reader, (onSize) =>
      this.turns.read({ accountId, id, alone: true, onSize }),
    );
    const [turn] = found?.turns ?? [];
    if (!found || !turn || isWaiting(turn)) throw new GatewayError(404, `Response with id '${id}' not found.`);
    // In its last form it is born as many milliseconds later as it was begun times.
    if (begunAt !== null && found.bornAt - begunAt !== making) return brokenOff;
    const type = closingTypes.get(restOf(turn).status) ?? 'response.failed';
    const response = await responseOf(turn);
    const head = `event: ${type}\ndata: {"type":"${type}","sequence_number":`;
    return (number) => joinedInTurns([Buffer.from(`${head}${number},"response":`), response, Buffer.from('}\n\n')]);
  }

  /** 0: its events are not kept. */
  private async newestMaking(caller: Caller, id: string): Promise<number> {
    for (let making = mostBackgroundLogs; making > 0; making--)
      if (await this.piece({ caller, id, making }, 0)) return making;
    return 0;
  }

  /** The piece with the event of this number, or the one that it will be in. */
  private async pieceWith(followed: Making, number: number): Promise<number> {
    const isBefore = async (piece: number): Promise<boolean> => {
      const kept = await this.piece(followed, piece);
      return (kept?.events[0]?.sequence_number ?? Infinity) <= number;
    };
    let low = 0;
    let high = 1;
    while (await isBefore(high)) [low, high] = [high, high * 2];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (await isBefore(middle)) low = middle;
      else high = middle;
    }
    return low;
  }

  private async piece({ caller, id, making }: Making, piece: number): Promise<Piece | null> {
    const { accountId } = caller.key;
    const found = await this.turns.read({ accountId, id: backgroundEventsId(id, making, piece), alone: true });
    const [turn] = found?.turns ?? [];
    if (!found || !turn) return null;
    return { events: JSON.parse(Buffer.from(turn.input).toString('utf8')) as KeptEvent[], bornAt: found.bornAt };
  }

  private count(accountId: string, change: 1 | -1): void {
    const count = (this.followed.get(accountId) ?? 0) + change;
    if (count > 0) this.followed.set(accountId, count);
    else this.followed.delete(accountId);
  }
}

/**
 * OpenAI has no event for one that was cancelled: that is told as one that failed, whose status says it.
 * https://developers.openai.com/api/reference/resources/responses/streaming-events
 */
const closingTypes = new Map<unknown, string>([
  ['completed', 'response.completed'],
  ['incomplete', 'response.incomplete'],
]);
const brokenOff: Ending = () => openaiResponsesSurface.streamError(madeAgain());

function firstNumber(making: number): number {
  return (making - 1) * numbersOfMaking;
}

function told(event: KeptEvent): Buffer {
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function madeAgain(): GatewayError {
  return new GatewayError(
    400,
    "The response is made again, since what made it ended: nothing of the stream before holds. Read it from its start, without 'starting_after'.",
  );
}
