import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Clock } from '../../clock';
import { windowMs } from '../rolling-log';
import type { LimitMetrics } from '../valkey/limit-metrics';
import type { ValkeyLog } from '../valkey/valkey-log';
import { TokenLog } from './token-log';
import type { TokenEntry } from './token-log';
import type { TokenAnswer } from './token-scripts';
import { TokenRateStore } from './token-rate-store';
import type { TokenRateState, TokensTaken } from './token-rate-store';

const sweepMs = 10_000;
/** So many limits are put into Valkey at the same time. */
const limitsAtOnce = 100;
/** Others count an edge that starts so late at most after it began to be unknown. */
const becomingKnownMs = 5_000;

/** A refusal of Valkey's is remembered for so long at most: other edges may have given something back. */
const rememberedMs = 100;

/** The logs of tokens that the edges have in common. */
type CommonTokenLog = Pick<ValkeyLog, 'currentRun' | 'takeTokens' | 'settleTokens' | 'addTokens'>;

/**
 * How the edges stand. `isShared`: all of them decide by Valkey alone. `edgesOfLastMinute`: how many lived at
 * any time in it. Until `unknownUntilMs` (monotonic) this edge does not know that for certain, or they not of
 * it. `isDeaf`: it does not hear itself, so that they may be about to take it for gone.
 */
interface EdgesStanding {
  readonly isShared: boolean;
  readonly edgesOfLastMinute: number;
  readonly unknownUntilMs: number;
  readonly isDeaf: boolean;
  /** Resolves to true when all decide by Valkey again, to false a moment after they last did. */
  sharedSoon(): Promise<boolean>;
}

/** What this edge knows of one limit. */
interface Known {
  /** What this edge took itself, wherever that was decided. */
  readonly own: TokenLog;
  /** What the others had taken when Valkey last answered, and when that was. */
  others: number;
  toldAtMs: number;
  /** When the whole limit is free again, as far as Valkey told. */
  emptyAtMs: number;
  /** So many tokens of a limit were refused, and are, until then; null: none were. */
  refused: {
    readonly tokens: number;
    readonly limit: number;
    readonly untilMs: number;
    readonly retryAtMs: number;
  } | null;
}

/** What a request asks of a limit. */
interface Asked {
  readonly name: string;
  readonly limit: number;
  readonly tokens: number;
}

/**
 * The limits of tokens a minute of several edges: an exact log of each in Valkey. While Valkey is away (or
 * another edge has lost it), every edge takes within its equal share of what the others had left, as Valkey
 * last told this edge, and puts that into Valkey before all decide by it again. Who was there in the last
 * minute has a share, and who has just started, or was cut off from the others, takes nothing by itself. Who
 * missed a notice of another that it knows goes on: of tokens none tells.
 * So edges take more than the limit only in the minute in which Valkey goes away, by what others took since
 * Valkey last told this edge of that limit, and in the minute in which it comes back, by what an edge took
 * that left or died meanwhile.
 */
export class ValkeyTokenRateStore extends TokenRateStore implements OnModuleInit, OnApplicationShutdown {
  private readonly limits = new Map<string, Known>();
  private sweeper: NodeJS.Timeout | null = null;
  private lastMember = 0;
  /** What Valkey was asked for and did not answer: it may have taken it, for nobody. */
  private unanswered: { name: string; member: string }[] = [];

  constructor(
    private readonly edgeId: string,
    private readonly log: CommonTokenLog,
    private readonly standing: EdgesStanding,
    private readonly clock: Clock,
    private readonly metrics: Pick<LimitMetrics, 'decidedTokens'>,
  ) {
    super();
  }

  onModuleInit(): void {
    this.sweeper = setInterval(() => this.forgetIdle(), sweepMs).unref();
  }

  onApplicationShutdown(): void {
    if (this.sweeper) clearInterval(this.sweeper);
  }

  take(name: string, limit: number, tokens: number): TokensTaken | Promise<TokensTaken> {
    if (tokens > limit) return { admitted: false, retryAfterMs: windowMs };
    const asked = { name, limit, tokens };
    if (!this.standing.isShared) return this.takeMeanwhile(asked);
    return this.refusedBefore(asked) ?? this.takeShared(asked, () => this.takeMeanwhile(asked));
  }

  state(name: string, limit: number): TokenRateState {
    const nowMs = this.clock.monotonicMs();
    const known = this.limits.get(name);
    if (!known) return { limit, remaining: limit, resetMs: 0 };
    const taken = othersOf(known, nowMs) + totalOf(known.own, nowMs);
    const resetMs = taken === 0 ? 0 : Math.max(0, known.own.resetMs(nowMs), known.emptyAtMs - nowMs);
    return { limit, remaining: Math.max(0, limit - taken), resetMs };
  }

  /**
   * Puts what this edge took in the last 60 seconds, and Valkey lacks, into it: it may be a new one. Edges
   * decide by it alone when each has done so.
   * @throws Error when Valkey does not answer in time.
   */
  async putInto(): Promise<void> {
    // Where that does not arrive, it counts until its minute is over.
    for (const { name, member } of this.unanswered.splice(0))
      this.log.settleTokens(name, member, 0).catch(() => undefined);
    const names = [...this.limits.keys()];
    for (let start = 0; start < names.length; start += limitsAtOnce)
      await Promise.all(names.slice(start, start + limitsAtOnce).map((name) => this.putLimit(name)));
  }

  /** How many limits are remembered. */
  get size(): number {
    return this.limits.size;
  }

  forgetIdle(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [name, known] of this.limits) {
      known.own.expire(nowMs);
      if (known.own.isEmpty && known.toldAtMs <= nowMs - windowMs) this.limits.delete(name);
    }
  }

  private async putLimit(name: string): Promise<void> {
    const { own } = this.known(name);
    own.expire(this.clock.monotonicMs());
    const run = this.log.currentRun;
    const missing = own.inWindow().filter((entry) => entry.run !== run);
    if (missing.length > 0) await this.add(name, missing);
  }

  private refusedBefore({ name, limit, tokens }: Asked): TokensTaken | null {
    const refused = this.limits.get(name)?.refused;
    const nowMs = this.clock.monotonicMs();
    if (!refused || refused.limit !== limit || tokens < refused.tokens || refused.untilMs <= nowMs) return null;
    this.metrics.decidedTokens('memory');
    // When there is room for more than was refused, nobody knows.
    return { admitted: false, retryAfterMs: tokens === refused.tokens ? refused.retryAtMs - nowMs : windowMs };
  }

  /** `instead`: what is done where Valkey does not answer. */
  private async takeShared(asked: Asked, instead: () => Promise<TokensTaken>): Promise<TokensTaken> {
    const { name, limit, tokens } = asked;
    const member = this.newMember();
    const askedAtMs = this.clock.monotonicMs();
    const run = this.log.currentRun;
    let answer: TokenAnswer;
    try {
      answer = await this.log.takeTokens(name, limit, tokens, member);
    } catch {
      this.unanswered.push({ name, member });
      return instead();
    }
    this.metrics.decidedTokens('valkey');
    const known = this.known(name);
    const nowMs = this.clock.monotonicMs();
    const entry = answer.admitted ? known.own.push(tokens, nowMs, member) : null;
    if (entry) entry.run = run;
    known.others = Math.max(0, answer.total - totalOf(known.own, nowMs));
    known.toldAtMs = nowMs;
    known.emptyAtMs = nowMs + answer.resetMs;
    if (entry) return this.taken(name, known, entry);
    const { retryAfterMs } = answer;
    const untilMs = askedAtMs + Math.min(rememberedMs, retryAfterMs);
    known.refused = { tokens, limit, untilMs, retryAtMs: nowMs + retryAfterMs };
    return { admitted: false, retryAfterMs };
  }

  /**
   * Valkey is often away for a fraction of a second only. A share tells when it has room itself, up to a
   * minute too late then: what it has no room for waits a little for Valkey.
   */
  private async takeMeanwhile(asked: Asked): Promise<TokensTaken> {
    const taken = await this.takeInShare(asked);
    if (taken.admitted || !(await this.standing.sharedSoon())) return taken;
    return this.takeShared(asked, () => this.takeInShare(asked));
  }

  private async takeInShare({ name, limit, tokens }: Asked): Promise<TokensTaken> {
    this.metrics.decidedTokens('share');
    if (this.standing.isDeaf || tokens > this.shareOf(limit)) return { admitted: false, retryAfterMs: null };
    const nowMs = this.clock.monotonicMs();
    const unknownMs = this.standing.unknownUntilMs + becomingKnownMs - nowMs;
    if (unknownMs > 0) return { admitted: false, retryAfterMs: unknownMs };
    const known = this.known(name);
    const others = othersOf(known, nowMs);
    const tooMany = totalOf(known.own, nowMs) + tokens - this.shareOf(limit - others);
    if (tooMany > 0) return { admitted: false, retryAfterMs: this.roomInShareMs(known, limit, tokens, nowMs) };
    const entry = known.own.push(tokens, nowMs, this.newMember());
    // It answers again, and not all edges have seen it: what is taken meanwhile must be there by then.
    // A failure ends the connection, and the next one gets everything.
    if (this.log.currentRun !== null) await this.add(name, [entry]).catch(() => undefined);
    return this.taken(name, known, entry);
  }

  private roomInShareMs(known: Known, limit: number, tokens: number, nowMs: number): number {
    const others = othersOf(known, nowMs);
    const own = known.own.total + tokens;
    const roomMs = (left: number) => known.own.roomInMs(own - this.shareOf(limit - left), nowMs);
    const othersGoneMs = others === 0 ? Infinity : known.toldAtMs + windowMs - nowMs;
    return Math.min(roomMs(others), Math.max(othersGoneMs, roomMs(0)), windowMs);
  }

  private taken(name: string, known: Known, entry: TokenEntry): TokensTaken {
    return {
      admitted: true,
      settle: (used) => {
        if (used !== null && used !== entry.tokens) this.settle(name, known, entry, used);
      },
    };
  }

  private settle(name: string, known: Known, entry: TokenEntry, used: number): void {
    const nowMs = this.clock.monotonicMs();
    const { currentRun } = this.log;
    const isAway = entry.run !== null && entry.run !== currentRun;
    // The Valkey that has it must be told when it is back.
    if (used === 0 && !isAway) known.own.remove(entry, nowMs);
    else known.own.settle(entry, used, nowMs);
    known.refused = null;
    if (isAway) entry.run = null;
    if (currentRun === null) return;
    this.log.settleTokens(name, entry.member, used).catch(() => {
      entry.run = null;
    });
  }

  /** The tokens are told as they are when a command is sent: requests may end meanwhile. */
  private async add(name: string, entries: readonly TokenEntry[]): Promise<void> {
    const run = this.log.currentRun;
    await this.log.addTokens(name, entries, ({ atMs }) => this.clock.monotonicMs() - atMs);
    for (const entry of entries) entry.run = run;
  }

  private shareOf(tokens: number): number {
    return Math.floor(Math.max(0, tokens) / this.standing.edgesOfLastMinute);
  }

  private known(name: string): Known {
    const known = this.limits.get(name) ?? {
      own: new TokenLog(),
      others: 0,
      toldAtMs: -Infinity,
      emptyAtMs: 0,
      refused: null,
    };
    this.limits.set(name, known);
    return known;
  }

  private newMember(): string {
    return `${this.edgeId}:${++this.lastMember}`;
  }
}

function totalOf(own: TokenLog, nowMs: number): number {
  own.expire(nowMs);
  return own.total;
}

function othersOf({ others, toldAtMs }: Known, nowMs: number): number {
  return toldAtMs > nowMs - windowMs ? others : 0;
}
