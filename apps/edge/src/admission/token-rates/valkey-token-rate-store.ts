import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Clock } from '../../clock';
import { windowMs } from '../rolling-log';
import type { ValkeyLog } from '../valkey/valkey-log';
import { TokenLog } from './token-log';
import type { TokenEntry } from './token-log';
import type { TokenAnswer } from './token-scripts';
import { TokenRateStore } from './token-rate-store';
import type { TokenRateState, TokensTaken } from './token-rate-store';

const sweepMs = 10_000;
/** So many limits are put into Valkey at the same time. */
const limitsAtOnce = 100;

/** The logs of tokens that the edges have in common. */
type CommonTokenLog = Pick<ValkeyLog, 'currentRun' | 'takeTokens' | 'settleTokens' | 'addTokens'>;

/** How the edges stand: whether all of them decide by Valkey alone, and how many they are. */
interface EdgesStanding {
  readonly isShared: boolean;
  readonly edges: number;
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
}

/**
 * The limits of tokens a minute of several edges: an exact log of each in Valkey. While Valkey is away (or
 * another edge has lost it), every edge takes within its equal share of what the others had left, as Valkey
 * last told this edge, and puts that into Valkey before all decide by it again.
 * So edges take more than the limit only in the minute in which Valkey goes away, and only by what others
 * took since Valkey last told this edge of that limit; and what an edge took that dies with Valkey is
 * forgotten.
 */
export class ValkeyTokenRateStore extends TokenRateStore implements OnModuleInit, OnApplicationShutdown {
  private readonly limits = new Map<string, Known>();
  private sweeper: NodeJS.Timeout | null = null;
  private lastMember = 0;

  constructor(
    private readonly edgeId: string,
    private readonly log: CommonTokenLog,
    private readonly standing: EdgesStanding,
    private readonly clock: Clock,
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
    return this.standing.isShared ? this.takeShared(name, limit, tokens) : this.takeInShare(name, limit, tokens);
  }

  state(name: string, limit: number): TokenRateState {
    const nowMs = this.clock.monotonicMs();
    const known = this.limits.get(name);
    if (!known) return { limit, remaining: limit, resetMs: 0 };
    const taken = othersOf(known, nowMs) + totalOf(known.own, nowMs);
    const resetMs = Math.max(0, known.own.resetMs(nowMs), known.emptyAtMs - nowMs);
    return { limit, remaining: Math.max(0, limit - taken), resetMs };
  }

  /**
   * Puts all that this edge took in the last 60 seconds into Valkey, which may be a new one. Edges decide by
   * it alone when each has done so.
   * @throws Error when Valkey does not answer in time.
   */
  async putInto(): Promise<void> {
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
    await this.add(name, own.inWindow());
  }

  private async takeShared(name: string, limit: number, tokens: number): Promise<TokensTaken> {
    const member = this.newMember();
    let answer: TokenAnswer;
    try {
      answer = await this.log.takeTokens(name, limit, tokens, member);
    } catch {
      return this.takeInShare(name, limit, tokens);
    }
    const known = this.known(name);
    const nowMs = this.clock.monotonicMs();
    const taken = answer.admitted ? this.keep(name, known, { tokens, member, nowMs }) : null;
    known.others = Math.max(0, answer.total - totalOf(known.own, nowMs));
    known.toldAtMs = nowMs;
    known.emptyAtMs = nowMs + answer.resetMs;
    return taken ?? { admitted: false, retryAfterMs: answer.retryAfterMs };
  }

  private takeInShare(name: string, limit: number, tokens: number): TokensTaken {
    const known = this.known(name);
    const nowMs = this.clock.monotonicMs();
    const others = othersOf(known, nowMs);
    const tooMany = totalOf(known.own, nowMs) + tokens - this.shareOf(limit - others);
    if (tooMany > 0) return { admitted: false, retryAfterMs: this.roomInShareMs(known, limit, tokens, nowMs) };
    const taken = this.keep(name, known, { tokens, member: this.newMember(), nowMs });
    // It answers again, and not all edges have seen it: what is taken meanwhile must be there by then.
    // A failure ends the connection, and the next one gets everything.
    if (this.log.currentRun !== null) this.add(name, known.own.inWindow().slice(-1)).catch(() => undefined);
    return taken;
  }

  private roomInShareMs(known: Known, limit: number, tokens: number, nowMs: number): number {
    const others = othersOf(known, nowMs);
    const own = known.own.total + tokens;
    const roomMs = (left: number) => known.own.roomInMs(own - this.shareOf(limit - left), nowMs);
    const othersGoneMs = others === 0 ? Infinity : known.toldAtMs + windowMs - nowMs;
    return Math.min(roomMs(others), Math.max(othersGoneMs, roomMs(0)), windowMs);
  }

  private keep(
    name: string,
    known: Known,
    { tokens, member, nowMs }: { tokens: number; member: string; nowMs: number },
  ): TokensTaken {
    const entry = known.own.push(tokens, nowMs, member);
    return {
      admitted: true,
      settle: (used) => {
        if (used === null || used === tokens) return;
        known.own.settle(entry, used, this.clock.monotonicMs());
        this.log.settleTokens(name, member, used);
      },
    };
  }

  /** The tokens are told as they are when a command is sent: requests may end meanwhile. */
  private add(name: string, entries: readonly TokenEntry[]): Promise<void> {
    return this.log.addTokens(name, entries, ({ atMs }) => this.clock.monotonicMs() - atMs);
  }

  private shareOf(tokens: number): number {
    return Math.floor(Math.max(0, tokens) / Math.max(1, this.standing.edges));
  }

  private known(name: string): Known {
    const known = this.limits.get(name) ?? {
      own: new TokenLog(),
      others: 0,
      toldAtMs: -Infinity,
      emptyAtMs: 0,
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
