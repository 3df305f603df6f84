import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { GatewayError } from '@tollgate/contracts';
import type { EdgeLimitsLoan, EdgeLimitsNotice } from '@tollgate/contracts/edge';
import type { Logger } from '@tollgate/observability';
import type { Clock } from '../../clock';
import { RateLimitStore, unlimited } from '../rate-limit-store';
import type { RateLimitState } from '../rate-limit-store';
import { windowMs } from '../rolling-log';
import { Agreement } from './agreement';
import type { EdgeLink, EdgeLinkListener } from './edge-link';
import type { LimitMetrics } from './limit-metrics';
import type { LogAnswer } from './log-scripts';
import { Refusals } from './refusals';
import { emptyAtMs } from './share';
import type { ShareState } from './share';
import type { CommonLog } from './valkey-log';

const sweepMs = 10_000;
/**
 * What one edge hears of another's units, and what it puts into a new Valkey, looks younger than it is by the
 * way it took. Callers are told to wait this much longer, so that they are admitted then, whichever edge
 * decides and however it learned of the units.
 */
const hearsayMs = 400;
/** An edge that does not answer is asked again after this long. */
const silentRetryMs = 1_000;
/** So long after the edges last decided by Valkey they may be about to do so again. */
const soonMs = 1_000;

/**
 * The limiter of several edges: one exact log per key in Valkey. While Valkey is away (or another edge has
 * lost it), every edge takes within its share of what is left of the limit, so that all edges together never
 * take more, and borrows of the others when that is used up. See Agreement for how they change from one to
 * the other.
 */
export class ValkeyRateLimitStore
  extends RateLimitStore
  implements OnModuleInit, OnApplicationShutdown, EdgeLinkListener
{
  private readonly refusals = new Refusals();
  private readonly agreement: Agreement;
  private sweeper: NodeJS.Timeout | null = null;
  private lastUnit = 0;
  private joining: () => Promise<void> = () => Promise.resolve();
  /** Units that Valkey was asked for and did not answer: it may have taken them, for nobody. */
  private unanswered: { keyId: string; member: string }[] = [];
  private wasShared = false;
  /** When the edges last stopped to decide by Valkey, monotonic milliseconds. */
  private leftAtMs = -Infinity;
  /** Of the requests that wait for them to do so again; null: none does. */
  private returning: Promise<boolean> | null = null;

  constructor(
    private readonly edgeId: string,
    private readonly log: CommonLog,
    private readonly link: EdgeLink,
    private readonly clock: Clock,
    private readonly metrics: LimitMetrics,
    logger: Logger,
  ) {
    super();
    this.agreement = new Agreement(edgeId, log, (notice) => link.tell(notice), clock, logger, {
      changed: () => this.changed(),
      gaveBack: (keyId) => this.refusals.forget(keyId),
      joining: () => {
        for (const { keyId, member } of this.unanswered.splice(0)) log.giveBack(keyId, member);
        return this.joining();
      },
    });
  }

  /** Connects, and waits a little for Valkey and for the other edges. */
  async onModuleInit(): Promise<void> {
    this.sweeper = setInterval(() => this.sweep(), sweepMs).unref();
    await this.agreement.start();
  }

  /** Requests are admitted until the last one has ended. */
  onApplicationShutdown(): void {
    if (this.sweeper) clearInterval(this.sweeper);
    this.agreement.stop();
  }

  hear(notice: EdgeLimitsNotice): void {
    this.agreement.hear(notice);
  }

  /** Takes a unit for another edge, whose share is used up. */
  async lend(keyId: string, limit: number): Promise<EdgeLimitsLoan> {
    if (this.agreement.isDeaf) return { lent: false, roomInMs: 1_000 };
    const state = this.agreement.isShared ? this.takeShared(keyId, limit) : this.takeInShare(keyId, limit, false);
    const { admitted, retryAfterMs } = await state;
    return { lent: admitted, roomInMs: admitted ? 0 : Math.max(0, retryAfterMs) };
  }

  /**
   * What else must be put into Valkey before edges decide by it again. It may throw when Valkey does not
   * answer.
   */
  beforeJoining(put: () => Promise<void>): void {
    this.joining = put;
  }

  get edges(): number {
    return this.agreement.edges().length;
  }

  get isShared(): boolean {
    return this.agreement.isShared;
  }

  sharedSoon(): Promise<boolean> {
    this.returning ??= this.untilShared().finally(() => (this.returning = null));
    return this.returning;
  }

  get edgesOfLastMinute(): number {
    return this.agreement.edgesOfLastMinute;
  }

  /** This edge decides nothing: the others may be about to take it for gone. */
  get isDeaf(): boolean {
    return this.agreement.isDeaf;
  }

  get unknownUntilMs(): number {
    return this.agreement.unknownUntilMs;
  }

  take(keyId: string, limit: number | null): RateLimitState | Promise<RateLimitState> {
    if (limit === null) return unlimited;
    const refused = this.refusals.find(keyId, limit, this.clock.monotonicMs());
    if (refused) {
      this.metrics.decided('memory');
      return refused;
    }
    if (this.agreement.isDeaf) return this.takeWhenReached(keyId, limit);
    return this.agreement.isShared ? this.takeShared(keyId, limit) : this.takeMeanwhile(keyId, limit);
  }

  private changed(): void {
    const { isShared } = this.agreement;
    if (this.wasShared && !isShared) this.leftAtMs = this.clock.monotonicMs();
    this.wasShared = isShared;
    this.refusals.clear();
    this.metrics.isShared(isShared);
  }

  private async untilShared(): Promise<boolean> {
    while (!this.isShared && this.clock.monotonicMs() < this.leftAtMs + soonMs) await this.clock.sleep(5);
    return this.isShared;
  }

  /** @throws GatewayError 503 when this edge does not hear itself for a second. */
  private async takeWhenReached(keyId: string, limit: number): Promise<RateLimitState> {
    await this.agreement.reached();
    if (this.agreement.isDeaf) throw new GatewayError(503, 'The gateway is cut off inside; try again shortly.', 2);
    return this.take(keyId, limit);
  }

  /** @throws GatewayError 503 when this edge cannot know for a second what others took. */
  private async takeWhenKnown(keyId: string, limit: number): Promise<RateLimitState> {
    await this.agreement.known();
    if (!this.agreement.isShared && this.agreement.isBlind)
      throw new GatewayError(503, 'The limits of this key cannot be checked at the moment; try again shortly.', 2);
    return this.take(keyId, limit);
  }

  giveBack(keyId: string, unit: number): void {
    this.refusals.forget(keyId);
    this.log.giveBack(keyId, this.memberOf(unit));
    this.agreement.gaveBack(keyId, this.memberOf(unit));
  }

  private async takeShared(keyId: string, limit: number): Promise<RateLimitState> {
    const unit = ++this.lastUnit;
    const member = this.memberOf(unit);
    const askedAtMs = this.clock.monotonicMs();
    let answer: LogAnswer;
    try {
      answer = await this.log.take(keyId, limit, member);
    } catch {
      this.unanswered.push({ keyId, member });
      return this.take(keyId, limit);
    }
    // The edges went over to shares meanwhile: what Valkey granted is not counted there.
    if (!this.agreement.isShared) {
      if (answer.admitted) this.log.giveBack(keyId, member);
      return this.take(keyId, limit);
    }
    this.metrics.decided('valkey');
    const known = answer.admitted ? this.agreement.tookShared(keyId, limit) : null;
    if (known && !(await known)) return this.takeWhenReached(keyId, limit);
    return this.toState(keyId, limit, answer, unit, askedAtMs);
  }

  /**
   * Valkey is often away for a fraction of a second only, and until it is back what it was asked and did not
   * answer may count there for nobody: who is refused waits a little, and asks again.
   */
  private async takeMeanwhile(keyId: string, limit: number): Promise<RateLimitState> {
    const state = await this.takeInShare(keyId, limit, true);
    return state.admitted || !(await this.sharedSoon()) ? state : this.take(keyId, limit);
  }

  private async takeInShare(keyId: string, limit: number, mayBorrow: boolean): Promise<RateLimitState> {
    if (this.agreement.isUnsettled) {
      await this.agreement.settled();
      return this.take(keyId, limit);
    }
    const nowMs = this.clock.monotonicMs();
    const own = this.agreement.shareOf(this.edgeId, keyId, limit);
    if (this.agreement.isBlind || own.remaining === 0) {
      if (mayBorrow) return this.borrow(keyId, limit);
      const retryAfterMs = Math.min(windowMs, Math.max(this.agreement.blindUntilMs, own.roomAtMs) - nowMs);
      return { admitted: false, limit, remaining: 0, resetMs: retryAfterMs, retryAfterMs, unit: null };
    }
    const unit = ++this.lastUnit;
    const member = this.memberOf(unit);
    const undo = this.agreement.takeAlone(keyId, member, nowMs);
    let answer: LogAnswer | null;
    try {
      answer = await this.agreement.confirm(keyId, limit, member);
    } catch {
      undo();
      this.unanswered.push({ keyId, member });
      return this.take(keyId, limit);
    }
    this.metrics.decided('share');
    if (answer && !answer.admitted) {
      undo();
      return this.toState(keyId, limit, answer, unit, nowMs);
    }
    this.agreement.keep(keyId);
    return this.admitInShare(keyId, limit, unit);
  }

  /**
   * Asks those who have room, as far as this edge knows, or all of them while it knows too little.
   * @throws GatewayError 503 when it knows too little, and nobody answers.
   */
  private async borrow(keyId: string, limit: number): Promise<RateLimitState> {
    const { isBlind } = this.agreement;
    const lenders = this.agreement
      .edges()
      .filter((edge) => edge !== this.edgeId)
      .filter((edge) => isBlind || this.agreement.shareOf(edge, keyId, limit).remaining > 0);
    const toldRoomAtMs = new Map<string, number>();
    let haveTold = false;
    for (const edge of lenders) {
      const loan = await this.link.borrow(edge, keyId, limit);
      if (loan?.lent) {
        this.metrics.decided('loan');
        return this.admitInShare(keyId, limit, null);
      }
      if (this.agreement.isShared) return this.takeShared(keyId, limit);
      if (loan) haveTold = true;
      toldRoomAtMs.set(edge, this.clock.monotonicMs() + (loan?.roomInMs ?? silentRetryMs));
    }
    if (isBlind && !this.agreement.isBlind) return this.take(keyId, limit);
    if (this.agreement.isBlind && !haveTold) return this.takeWhenKnown(keyId, limit);
    // Its own room is not known before.
    if (this.agreement.isBlind) toldRoomAtMs.set(this.edgeId, this.agreement.blindUntilMs);
    return this.refuseInShare(keyId, limit, toldRoomAtMs);
  }

  /** `unit` null: a lender took it, and it cannot be given back. */
  private admitInShare(keyId: string, limit: number, unit: number | null): RateLimitState {
    const nowMs = this.clock.monotonicMs();
    const { remaining, roomAtMs } = this.roomOfAll(keyId, limit, nowMs);
    return { admitted: true, limit, remaining, resetMs: windowMs, retryAfterMs: roomAtMs - nowMs, unit };
  }

  /**
   * Nobody has room: so it is until the first of all edges has. Lenders told when they have, and know better
   * than what was heard of them.
   */
  private refuseInShare(keyId: string, limit: number, toldRoomAtMs: ReadonlyMap<string, number>): RateLimitState {
    this.metrics.decided('share');
    const nowMs = this.clock.monotonicMs();
    const { roomAtMs } = this.roomOfAll(keyId, limit, nowMs, toldRoomAtMs);
    const resetMs = emptyAtMs(this.agreement.ledger.of(keyId, nowMs), nowMs) - nowMs;
    return this.refuse(keyId, limit, { resetMs, retryAfterMs: roomAtMs - nowMs }, roomAtMs);
  }

  /**
   * What all edges together may still take, and when the first of them may take the next, as far as this edge
   * knows.
   */
  private roomOfAll(
    keyId: string,
    limit: number,
    nowMs: number,
    toldRoomAtMs: ReadonlyMap<string, number> = new Map(),
  ): ShareState {
    const states = this.agreement.edges().map((edge) => {
      const roomAtMs = toldRoomAtMs.get(edge);
      return roomAtMs === undefined ? this.agreement.shareOf(edge, keyId, limit) : { remaining: 0, roomAtMs };
    });
    return {
      remaining: states.reduce((sum, { remaining }) => sum + remaining, 0),
      roomAtMs: Math.min(nowMs + windowMs, ...states.map(({ roomAtMs }) => roomAtMs)),
    };
  }

  private toState(
    keyId: string,
    limit: number,
    { admitted, count, resetMs, retryAfterMs }: LogAnswer,
    unit: number,
    askedAtMs: number,
  ): RateLimitState {
    // Counted from the question: the time was taken after it, so nobody is refused from memory when there is
    // room again.
    if (!admitted) return this.refuse(keyId, limit, { resetMs, retryAfterMs }, askedAtMs + retryAfterMs);
    return { admitted, limit, remaining: Math.max(0, limit - count), resetMs, retryAfterMs, unit };
  }

  private refuse(
    keyId: string,
    limit: number,
    times: Pick<RateLimitState, 'resetMs' | 'retryAfterMs'>,
    untilMs: number,
  ): RateLimitState {
    const { resetMs, retryAfterMs } = times;
    const state = { admitted: false, limit, remaining: 0, unit: null, resetMs, retryAfterMs: retryAfterMs + hearsayMs };
    this.refusals.remember(keyId, state, untilMs, this.clock.monotonicMs());
    return state;
  }

  private memberOf(unit: number): string {
    return `${this.edgeId}:${unit}`;
  }

  private sweep(): void {
    const nowMs = this.clock.monotonicMs();
    this.refusals.forgetPassed(nowMs);
    this.agreement.ledger.forgetIdle(nowMs);
  }
}
