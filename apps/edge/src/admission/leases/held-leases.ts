import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { BudgetUnit } from '@tollgate/contracts/metering';
import { TransientSet } from '@tollgate/messaging';
import type { Clock } from '../../clock';

/** After metering was away, nobody asks it again for this long. */
const awayMs = 1_000;

/**
 * What an edge holds of metering, of one key's quota or of one budget, to reserve from without a question.
 */
export abstract class HeldLease {
  /** Of the newest question about this lease: metering answers each once. */
  sequence = 0;
  /**
   * When metering ends the lease unless it is renewed, monotonic milliseconds. Null: metering does not know
   * it yet.
   */
  endsAtMs: number | null = null;
  lastUsedAtMs: number;
  /** The question to metering that is under way; everyone who lacks something waits for this one. */
  asking: Promise<void> | null = null;
  /** Metering granted less than was asked: it is not asked again before, monotonic milliseconds. */
  exhaustedUntilMs = -Infinity;
  /** The same where it was asked for a trial: for other requests it is asked at once. */
  trialExhaustedUntilMs = -Infinity;
  readonly holds: HoldTimes;

  /** `ownerId`: the key or budget. `former`: the lease of it before this one. */
  constructor(
    readonly leaseId: string,
    readonly ownerId: string,
    nowMs: number,
    former: HeldLease | undefined,
  ) {
    this.lastUsedAtMs = nowMs;
    this.holds = former?.holds ?? new HoldTimes();
  }

  /** True while a request that runs holds something of it. */
  abstract get isInUse(): boolean;

  /** Takes everything out that nobody uses, to give it back to metering. */
  abstract takeUnused(): number | bigint;
}

/**
 * How something is taken of a lease. `take` null: it has too little, and `ask` raises it, or rejects with
 * ControlError.
 */
export interface Taking<Lease, Taken> {
  /** True: less is asked for next where this is refused. */
  readonly isTrial?: boolean;
  /** Whether it takes less than what metering had too little for, which it may have enough for. */
  asksLess?(lease: Lease): boolean;
  /** The lease as it stands: another may have taken its place since the last look. */
  lease(): Lease;
  take(lease: Lease): Taken | null;
  ask(lease: Lease): Promise<void>;
  /** Metering granted too little a moment ago. */
  refuse(lease: Lease): Taken;
  /** Metering is away. */
  alone(lease: Lease): Taken;
}

/**
 * The leases of one kind, quotas or budgets, that an edge holds: one of each owner to reserve from, and those
 * that are only in use still.
 */
export class HeldLeases<Lease extends HeldLease> {
  private readonly current = new Map<string, Lease>();
  /** Leases that nobody reserves from any more, until their last request has ended too. */
  private retired: Lease[] = [];
  private awayUntilMs = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** The lease to reserve from, if there was one. It may have run out. */
  find(ownerId: string): Lease | undefined {
    return this.current.get(ownerId);
  }

  /** The lease to reserve from: the one at hand if it lives and `isUsable`, else a new one. */
  of(
    ownerId: string,
    isUsable: (lease: Lease) => boolean,
    begin: (leaseId: string, nowMs: number, former: Lease | undefined) => Lease,
  ): Lease {
    const nowMs = this.clock.monotonicMs();
    const former = this.current.get(ownerId);
    if (former && (former.endsAtMs === null || former.endsAtMs > nowMs)) {
      if (isUsable(former)) return former;
      this.retired.push(former);
    }
    const lease = begin(uuidv7(this.clock.nowMs()), nowMs, former);
    this.current.set(ownerId, lease);
    return lease;
  }

  /** All that metering may know. */
  all(): Lease[] {
    return [...this.retired, ...this.current.values()];
  }

  /** True when no request will reserve from this lease any more. */
  isRetired(lease: Lease): boolean {
    return this.retired.includes(lease);
  }

  /**
   * Lets go of a lease: the next request of its owner begins a new one. Running requests settle against the
   * old one, to no effect.
   */
  drop(lease: Lease): void {
    if (this.current.get(lease.ownerId) === lease) this.current.delete(lease.ownerId);
    this.retired = this.retired.filter((other) => other !== lease);
  }

  /** Takes of a lease, as soon as it has enough. Metering is asked once for all who wait at the same time. */
  async take<Taken>(taking: Taking<Lease, Taken>): Promise<Taken> {
    for (;;) {
      const lease = taking.lease();
      const taken = taking.take(lease);
      if (taken !== null) return taken;
      if (lease.asking) {
        await lease.asking;
        continue;
      }
      const nowMs = this.clock.monotonicMs();
      const isExhausted =
        nowMs < lease.exhaustedUntilMs || (taking.isTrial === true && nowMs < lease.trialExhaustedUntilMs);
      if (isExhausted && taking.asksLess?.(lease) !== true) return taking.refuse(lease);
      if (nowMs < this.awayUntilMs) return taking.alone(lease);
      lease.asking = this.ask(lease, taking).finally(() => (lease.asking = null));
      await lease.asking;
    }
  }

  private async ask(lease: Lease, taking: Pick<Taking<Lease, unknown>, 'ask'>): Promise<void> {
    try {
      await taking.ask(lease);
      this.awayUntilMs = -Infinity;
    } catch (error) {
      // Metering knows another state of this lease (a reply was lost), or may have granted what never came: a
      // new one cannot conflict.
      if (error instanceof ControlError && error.code === 'conflict') return this.drop(lease);
      this.awayUntilMs = this.clock.monotonicMs() + awayMs;
    }
  }
}

/** Before any request of a key has ended here, it is taken to last so long, milliseconds. */
const firstGuessMs = 10_000;
/** Nobody is told to wait longer for somebody else's request, seconds. */
const longestWaitS = 60;
/** The share of the newest request in what is typical. */
const newestShare = 0.3;

/** How long the requests of one key hold what they reserved, by this edge's steady clock. */
class HoldTimes {
  private typicalMs = firstGuessMs;
  /** When each of those that run began, the oldest first. */
  private readonly running = new TransientSet<{ readonly sinceMs: number }>();

  /** A request begins; call what is returned when it ends. */
  began(nowMs: number): (endedMs: number) => void {
    const request = { sinceMs: nowMs };
    this.running.add(request);
    return (endedMs) => {
      this.running.delete(request);
      this.typicalMs += newestShare * (endedMs - nowMs - this.typicalMs);
    };
  }

  /**
   * Whole seconds until the oldest that runs will have ended if it is like those before; null: none runs
   * here.
   */
  waitS(nowMs: number): number | null {
    const [oldest] = this.running;
    if (!oldest) return null;
    const leftS = Math.ceil((this.typicalMs - (nowMs - oldest.sinceMs)) / 1_000);
    return Math.min(longestWaitS, Math.max(1, leftS));
  }
}

/** The first lease of a key beyond its first need, and the largest, in tokens. */
const smallestTokens = 16_384;
const largestTokens = 8_000_000;
/** The same of a budget, in its unit: of one in dollars a cent, and a hundred dollars. */
const sizes: Readonly<Record<BudgetUnit, { readonly smallest: bigint; readonly largest: bigint }>> = {
  usd: { smallest: 10_000_000n, largest: 100_000_000_000n },
  tokens: { smallest: BigInt(smallestTokens), largest: BigInt(largestTokens) },
};
/** One lease takes at most this part of what is left, so that other edges find something near the end. */
const shareOfLeft = 8;

/**
 * How many tokens to ask metering for. `needed` is what a waiting request lacks; `lastSize` what was asked
 * for before (0: nothing yet): busy keys ask for twice as much each time. `remaining` is what the quota is
 * known to have left.
 */
export function leaseSize(needed: number, lastSize: number, remaining: number): number {
  const wanted = Math.min(Math.max(smallestTokens, lastSize * 2), largestTokens);
  return Math.max(needed, Math.min(wanted, Math.floor(remaining / shareOfLeft)));
}

/**
 * How much of a budget to ask metering for, in its unit, as `leaseSize` says it for the quota of tokens.
 * `left` null: nothing is known of the budget.
 */
export function budgetLeaseSize(unit: BudgetUnit, needed: bigint, lastSize: bigint, left: bigint | null): bigint {
  const { smallest, largest } = sizes[unit];
  const grown = larger(smallest, lastSize * 2n);
  const wanted = grown < largest ? grown : largest;
  const share = left === null ? 0n : left / BigInt(shareOfLeft);
  return larger(needed, wanted < share ? wanted : share);
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
