import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { ControlError, GatewayError, uuidv7 } from '@tollgate/contracts';
import { mostBackgroundMakings } from '@tollgate/contracts/metering';
import type { BackgroundWorkRecord, TakenWork } from '@tollgate/contracts/metering';
import { waitingResponse } from '@tollgate/dialects/surface';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Authenticator, type Caller, keyHeaders } from '../../callers/authenticator';
import { Clock } from '../../clock';
import { Settings } from '../../settings';
import { ConversationStore } from '../conversation-store';
import type { TurnToKeep } from '../stateful-requests';
import { fetchedWithinMs, isWaiting, newResponseId, restOf } from '../turn';
import { TurnKeeper } from '../turn-keeper';
import { TurnStore } from '../turn-store';
import { BackgroundStore } from './background-store';
import type { KeptRequest } from './background-store';
import { BackgroundWork } from './background-work';
import type { BackgroundParts } from './background-work';
import { EventLog } from './event-log';

/** How often an edge says that it still works, and hears of what was cancelled, milliseconds. */
const renewMs = 2_000;
/** How often it looks for what others left behind, milliseconds. */
const lookMs = 5_000;
/** What came of a response waits so long between two tries to keep it, milliseconds. */
const keepAgainMs = 1_000;
/** These are the connection's, or secrets, and are not kept with a request. */
const ownHeaders = new RegExp(
  `^(?:${keyHeaders.join('|')}|cookie|host|connection|content-(?:length|encoding|type)|transfer-encoding|expect)$`,
);

/** A request that nobody waits for. `body`: as it goes on. */
interface NewWork {
  readonly caller: Caller;
  readonly turn: TurnToKeep;
  /** Null: it is added to none. */
  readonly conversationId: string | null;
  readonly body: Buffer;
  readonly model: string;
  /** Its events can be read while it is made, and again. */
  readonly isStream: boolean;
  readonly headers: IncomingHttpHeaders;
}

/** A response that is made again: everything that its first edge knew of it. */
interface Remade {
  readonly work: BackgroundWork;
  readonly caller: Caller;
  readonly request: KeptRequest;
}

/** What a making begins with. */
type Begun = Pick<BackgroundParts, 'record' | 'making' | 'waiting' | 'turn'> & { readonly isStream: boolean };

type RemakeListener = (remade: Remade) => void;

/**
 * The responses that this edge makes while nobody waits, and those that it takes over from edges that ended.
 */
@Injectable()
export class BackgroundWorks implements OnApplicationBootstrap {
  private readonly takers: RemakeListener[] = [];
  private readonly works = new Map<string, BackgroundWork>();
  private renewal: NodeJS.Timeout | undefined;
  private looking: NodeJS.Timeout | undefined;
  private isEnding = false;
  private isClosed = false;

  constructor(
    private readonly store: BackgroundStore,
    private readonly turns: TurnStore,
    private readonly conversations: ConversationStore,
    private readonly keeper: TurnKeeper,
    private readonly authenticator: Authenticator,
    private readonly clock: Clock,
    private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Calls this with each response that was taken over, to be made again as if its request had come now. */
  onTaken(listener: RemakeListener): void {
    this.takers.push(listener);
  }

  /** Keeps what it has from now on, and takes over what others left behind. */
  onApplicationBootstrap(): void {
    if (!this.keeper.isOn) return;
    this.renewal = setInterval(() => void this.renew(), renewMs).unref();
    this.looking = setInterval(() => void this.look(), lookMs).unref();
  }

  /** Takes nothing over any more. */
  drain(): void {
    clearInterval(this.looking);
  }

  /** Whatever ends from now on without its whole answer is another edge's. */
  handOver(): void {
    this.isEnding = true;
  }

  /** Resolves when everything is kept or handed over, `patienceMs` at most. */
  async close(patienceMs: number): Promise<void> {
    const all = Promise.all([...this.works.values()].map(({ settled }) => settled));
    const inTime = new AbortController();
    const tooLate = sleep(patienceMs, undefined, { signal: inTime.signal, ref: false }).catch(() => undefined);
    await Promise.race([all, tooLate]);
    inTime.abort();
    this.isClosed = true;
    clearInterval(this.renewal);
  }

  /** @throws GatewayError 403, 503 where it cannot be kept. */
  async begin({ caller, turn, conversationId, body, model, isStream, headers }: NewWork): Promise<BackgroundWork> {
    const { key, digest } = caller;
    const id = newResponseId();
    const { bornAt, previous, input } = turn;
    const record = { accountId: key.accountId, id, keyId: key.id, eventId: uuidv7(), bornAt };
    const waiting = waitingResponse(body, { id, model, createdAtS: Math.floor(bornAt / 1_000) });
    const kept = { digest, headers: keptHeaders(headers), previous, conversationId, isStream };
    await this.store.begin(record, { ...kept, body, input }, waiting);
    return this.add({ record, making: 1, waiting, turn, isStream });
  }

  /**
   * Ends one, wherever it is made; false: there is nothing to end any more.
   * @throws GatewayError 503 while nobody can say.
   */
  async cancel(accountId: string, id: string): Promise<boolean> {
    const isThere = await this.store.cancel({ accountId, id });
    const work = this.works.get(id);
    if (isThere && work?.parts.record.accountId === accountId) work.cancel();
    return isThere;
  }

  private add({ isStream, ...begun }: Begun): BackgroundWork {
    const { bodyLimit: mostBytes } = this.settings;
    const { turns } = this;
    const isOver = (): boolean => this.isClosed || work.isLost;
    const log = isStream ? new EventLog({ ...begun, turns, mostBytes, isOver }) : null;
    const settle = (settled: BackgroundWork) => this.settle(settled);
    const work: BackgroundWork = new BackgroundWork({ ...begun, mostBytes, log, settle });
    this.works.set(work.id, work);
    return work;
  }

  private async renew(): Promise<void> {
    const asked = [...this.works.values()];
    if (asked.length === 0) return;
    try {
      const held = await this.store.renew(asked.map(({ parts }) => parts.record));
      const byId = new Map(held.map((one) => [one.id, one]));
      for (const work of asked) {
        const found = byId.get(work.id);
        if (!found) work.lose();
        else if (found.isCancelled) work.cancel();
      }
    } catch (error) {
      this.logger.debug({ err: error }, 'responses in the background could not be held for longer');
    }
  }

  private async look(): Promise<void> {
    try {
      for (const taken of await this.store.take()) void this.remake(taken);
    } catch (error) {
      this.logger.debug({ err: error }, 'nobody says which responses in the background were left behind');
    }
  }

  /** Never rejects: what cannot be made again now is left for another time. */
  private async remake(taken: TakenWork): Promise<void> {
    const { accountId, id, makings } = taken;
    // Its own, whose lease ran out while nobody could be told of it.
    if (this.works.has(id)) return;
    try {
      const found = await this.turns.read({ accountId, id, alone: true });
      const [stands] = found?.turns ?? [];
      // The edge that made it ended before it said so, or it was removed.
      if (!stands || !isWaiting(stands)) return await this.store.finish(taken);
      const request = await this.store.request(taken);
      const { conversationId, previous } = request ?? { conversationId: null, previous: null };
      const conversation = conversationId && (await this.conversations.open({ accountId, id: conversationId }));
      const known = { bornAt: taken.bornAt, previous, input: Buffer.from(stands.input) };
      const isKept = { isStored: true, isBackground: true, near: null };
      const key = { id: taken.keyId, accountId };
      const turn = { ...known, ...isKept, key, conversation: conversation || null };
      const begun = { record: taken, making: makings, waiting: { ...restOf(stands), output: [] }, turn };
      const work = this.add({ ...begun, isStream: request?.isStream ?? false });
      if (taken.isCancelled) return work.cancel();
      if (!request) return work.refuse('Its request cannot be read any more.');
      await this.makeAgain(work, request);
    } catch (error) {
      this.logger.warn({ err: error, id }, 'a response in the background could not be taken over; it is tried again');
    }
  }

  private async makeAgain(work: BackgroundWork, request: KeptRequest): Promise<void> {
    const { making } = work.parts;
    if (making > mostBackgroundMakings)
      return work.refuse(`It was begun ${mostBackgroundMakings} times, and ended each time with what worked on it.`);
    try {
      const caller = await this.authenticator.find(request.digest);
      this.logger.info({ id: work.id, making }, 'a response in the background is made again');
      for (const make of this.takers) make({ work, caller, request });
    } catch (error) {
      // Its key was revoked meanwhile, or its account suspended.
      if (error instanceof GatewayError && error.status < 500) return work.refuse(error.message);
      work.lose();
      throw error;
    }
  }

  /** Never rejects. */
  private async settle(work: BackgroundWork): Promise<void> {
    const { record, turn } = work.parts;
    try {
      if (work.isLost) return;
      await work.parts.log?.close();
      if (this.isLeftToOthers(work)) return await this.store.release(record);
      if (await this.keep(work)) await this.store.finish(record);
    } catch (error) {
      this.logger.warn({ err: error, id: work.id }, 'a response in the background could not be kept');
    } finally {
      turn.conversation?.release();
      this.works.delete(work.id);
    }
  }

  /**
   * True for what ended with this edge, and for what found no room: another edge, or a later time, has it.
   */
  private isLeftToOthers({ isCancelled, answered, parts: { making } }: BackgroundWork): boolean {
    if (isCancelled || answered === 200) return false;
    if (making >= mostBackgroundMakings) return false;
    return this.isEnding || (making > 1 && (answered === 429 || answered === 503));
  }

  /**
   * Tries until what came of it is kept. False: it is another edge's by now, or was removed.
   * @throws ControlError where it can never be kept.
   */
  private async keep(work: BackgroundWork): Promise<boolean> {
    const { record, making, turn } = work.parts;
    const final = work.final();
    // What is not stored is told for a time that begins now, however it ended.
    if (final.status === 'completed' || final.store === false)
      final.completed_at = Math.floor(this.clock.nowMs() / 1_000);
    let { conversation } = turn;
    if (final.status !== 'completed' && final.status !== 'incomplete') conversation = null;
    for (;;) {
      try {
        // Who comes too late must not put what it has in the place of what is there.
        if ((await this.store.renew([record])).length === 0) return false;
        await this.keeper.store({ ...turn, conversation, bornAt: record.bornAt + making }, final, () => {
          conversation = null;
        });
        if (final.store === false) this.removeLater(record);
        return true;
      } catch (error) {
        if (work.isLost || this.isClosed || !(error instanceof ControlError) || error.code !== 'unavailable')
          throw error;
        await sleep(keepAgainMs, undefined, { ref: false });
      }
    }
  }

  /**
   * Where this edge ends before that, it is dropped with the others of its day; nobody is told of it until
   * then.
   */
  private removeLater({ accountId, id }: BackgroundWorkRecord): void {
    this.clock.after(fetchedWithinMs, () => void this.turns.remove(accountId, id).catch(() => undefined));
  }
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !ownHeaders.test(name) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), 'content-type': 'application/json' };
}
