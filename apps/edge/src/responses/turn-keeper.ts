import { Inject, Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { FairMemory, largeBytes } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { insideOf, joinedPieces, type SurfaceDialect } from '@tollgate/dialects/surface';
import { LOGGER } from '@tollgate/service';
import { Clock } from '../clock';
import { EdgeMetrics } from '../edge-metrics';
import type { RequestContext } from '../http/request-context';
import type { Answer } from '../generation/answer';
import type { CallerResponse } from '../generation/caller-response';
import { BodyThreads } from '../generation/body-threads';
import { joinedInTurns } from '../generation/in-turns';
import { Settings } from '../settings';
import type { TurnToKeep } from './stateful-requests';
import { StoringAnswer } from './storing-answer';
import { nothingTold, type ToldResponse } from './told-response';
import { bytesOf } from './turn';
import { TurnStore } from './turn-store';

/**
 * For whom no answer waits to be kept for a while, since it took too long: one account, whose response may be
 * a dear one, or all where it was more than one. One response of each account is tried meanwhile, which ends
 * the pause as soon as it is kept. Times are milliseconds of a clock that never goes back.
 */
export class KeepingPauses {
  /** Until when, by account. */
  private readonly untilByAccount = new Map<string, number>();
  /** Accounts of which a response is being tried. */
  private readonly trying = new Set<string>();

  constructor(private readonly pauseMs: number) {}

  tookTooLong(accountId: string, now: number): void {
    this.forget(now);
    this.untilByAccount.set(accountId, now + this.pauseMs);
  }

  isPaused(accountId: string, now: number): boolean {
    if (this.untilByAccount.size === 0) return false;
    this.forget(now);
    return this.untilByAccount.size > 1 || this.untilByAccount.has(accountId);
  }

  /** Whether a response of this account may be tried; if so, until `tried`. */
  mayTry(accountId: string): boolean {
    if (this.trying.has(accountId)) return false;
    this.trying.add(accountId);
    return true;
  }

  /** What was tried is kept, or not. */
  tried(accountId: string): void {
    this.trying.delete(accountId);
  }

  /** A response of this account is kept, however late. */
  kept(accountId: string): void {
    this.untilByAccount.delete(accountId);
  }

  private forget(now: number): void {
    for (const [accountId, until] of this.untilByAccount) if (until <= now) this.untilByAccount.delete(accountId);
  }
}

/**
 * Where nothing can be kept in time, answers of so long end at once, unkept but for one that is tried, unless
 * that one is kept before; milliseconds.
 */
const pauseMs = 5_000;
/** Memory in which plain answers are gathered, as a part of that for bodies. */
const gatheringShare = 4;
const warning = 'the response was not stored: it cannot be gone on from by its id';

/** What an answer is written to. `stream` null: it is none. `onOver`: calls this when its request is over. */
interface Place {
  readonly answer: Answer;
  readonly response: CallerResponse;
  readonly context: RequestContext;
  readonly stream: SurfaceDialect | null;
  readonly onOver: (run: () => void) => void;
}

/** Keeps responses before their end is told. That it cannot costs nobody an answer. */
@Injectable()
export class TurnKeeper {
  /** Longer than this the end of an answer does not wait to be kept, milliseconds. */
  patienceMs = 2_000;
  private readonly pauses = new KeepingPauses(pauseMs);
  /** Apart from what is read for those who ask, which waits for none of it. */
  private readonly gathering: FairMemory;

  constructor(
    private readonly turns: TurnStore,
    private readonly threads: BodyThreads,
    private readonly clock: Clock,
    private readonly metrics: EdgeMetrics,
    private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.gathering = new FairMemory(settings.bodyMemory / gatheringShare);
  }

  /** False: the operator has it switched off. */
  get isOn(): boolean {
    return this.settings.storesResponses;
  }

  /** An answer that does what `answer` does, and is kept. */
  keeping(turn: TurnToKeep, { answer, response, context, stream, onOver }: Place): Answer {
    const { gathering: memory } = this;
    const { accountId } = turn.key;
    let takenBytes = 0;
    onOver(() => memory.free(takenBytes, accountId));
    return new StoringAnswer({
      answer,
      stream,
      mostBytes: this.settings.bodyLimit,
      takeRoom: (bytes) => {
        const isTaken = memory.take(bytes, accountId);
        if (isTaken) takenBytes += bytes;
        return isTaken;
      },
      onConsumed: (bytes) => response.onConsumed(bytes),
      keep: (pieces, isEvent) => this.keep(turn, pieces, isEvent),
      onKept: (isKept) => {
        if (turn.near) return;
        this.metrics.responseStored(isKept);
        if (!isKept) context.warn(warning);
      },
    });
  }

  /**
   * Keeps a response in its last form, and adds it to its conversation, if it has one; `onAdded` hears of the
   * latter.
   * @throws ControlError where it cannot be kept; an error for one that cannot be read.
   */
  async store(toKeep: TurnToKeep, response: Record<string, unknown>, onAdded?: () => void): Promise<void> {
    const told = await this.threads.takeApart(toKeep.key, [Buffer.from(JSON.stringify(response))], false);
    await this.add(toKeep, told ?? nothingTold(response), onAdded);
  }

  private async keep(toKeep: TurnToKeep, pieces: readonly Uint8Array[], isEvent: boolean): Promise<boolean> {
    const { key, input, conversation, near } = toKeep;
    const { accountId } = key;
    let isLarge = pieces.reduce((sum, { length }) => sum + length, input.length) > largeBytes;
    // Metering was there a moment ago for who has a conversation open.
    const isPaused = !conversation && !near && this.pauses.isPaused(accountId, this.clock.monotonicMs());
    if (isPaused && (isLarge || !this.pauses.mayTry(accountId))) return false;
    const keep = async () => {
      const told = await this.threads.takeApart(key, pieces, isEvent);
      if (!told) return false;
      isLarge ||= bytesOf({ ...told, input }) > largeBytes;
      await this.add(toKeep, told);
      if (!near) this.pauses.kept(accountId);
      return true;
    };
    // What is large may take longer, which says nothing of the others.
    const kept = this.inTime(keep(), () => !isLarge && this.pauses.tookTooLong(accountId, this.clock.monotonicMs()));
    if (!isPaused) return kept;
    // Nobody waits for what is only tried.
    void kept.finally(() => this.pauses.tried(accountId));
    return false;
  }

  private async add(toKeep: TurnToKeep, told: ToldResponse, onAdded?: () => void): Promise<void> {
    const { key, bornAt, previous, input, conversation, isStored, near } = toKeep;
    const { id, output, rest, itemIds } = told;
    if (near) return near.keep(id, await joinedInTurns(joinedPieces([input, output].map(insideOf))));
    if (conversation) {
      const lists = await Promise.all([input, output].map((list) => this.threads.newItems(key, list)));
      await conversation.add(lists.flat());
    }
    onAdded?.();
    const facts = { accountId: key.accountId, keyId: key.id, id, bornAt, previous, itemIds: [...itemIds] };
    if (isStored) await this.turns.keep({ ...facts, turn: { input, output, rest } });
  }

  /** False, too, where it takes too long, which `onLate` hears. */
  private async inTime(kept: Promise<boolean>, onLate: () => void): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), this.patienceMs)));
    const done = kept.catch((error: unknown) => {
      this.logger.warn({ err: error }, 'a response could not be stored');
      return error instanceof ControlError && error.code === 'unavailable' ? null : false;
    });
    const isKept = await Promise.race([done, tooLate]);
    clearTimeout(timer);
    if (isKept === null) onLate();
    return isKept ?? false;
  }
}
