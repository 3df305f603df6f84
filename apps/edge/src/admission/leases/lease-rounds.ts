import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../../clock';
import { BudgetReservations } from './budget-reservations';
import type { HeldLease, HeldLeases } from './held-leases';
import { MeteringLeases } from './metering-leases';
import type { LeaseChange, RenewedLeases } from './metering-leases';
import { QuotaReservations } from './quota-reservations';

/** As many as one message may carry. */
const leasesPerCall = 1_000;

/** What is asked of metering for the leases of one kind. */
interface Kind {
  readonly held: Pick<HeldLeases<HeldLease>, 'all' | 'drop' | 'isRetired'>;
  /** Time between rounds, and how long no request touched a lease that is given back. */
  readonly everyMs: number;
  /** True: a lease of which metering never answered is given back too, since it may have granted it. */
  readonly givesBackUnanswered: boolean;
  renew(leases: LeaseChange[]): Promise<RenewedLeases>;
}

/** Keeps the leases alive that requests reserve from, and gives back those of idle keys and budgets. */
@Injectable()
export class LeaseRounds implements OnApplicationBootstrap {
  private readonly kinds: Record<'quotas' | 'budgets', Kind>;
  private timers: NodeJS.Timeout[] = [];

  constructor(
    quotas: QuotaReservations,
    budgets: BudgetReservations,
    metering: MeteringLeases,
    private readonly clock: Clock,
  ) {
    this.kinds = {
      quotas: {
        held: quotas.leases,
        everyMs: 20_000,
        givesBackUnanswered: false,
        renew: (leases) => metering.renewTokens(leases),
      },
      budgets: {
        held: budgets.leases,
        everyMs: 10_000,
        givesBackUnanswered: true,
        renew: (leases) => metering.renewBudgets(leases),
      },
    };
  }

  onApplicationBootstrap(): void {
    // A round that fails is made up for by the next: a lease outlives two lost rounds, and after that a new
    // one is asked for.
    for (const name of ['quotas', 'budgets'] as const)
      this.timers.push(
        setInterval(() => void this.round(name).catch(() => undefined), this.kinds[name].everyMs).unref(),
      );
  }

  /**
   * Gives everything back that is not in use; what metering does not hear of ends with its lease. Call it
   * when the last request has ended.
   */
  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
    for (const kind of Object.values(this.kinds)) await giveBack(kind, () => true).catch(() => undefined);
  }

  /**
   * One round: idle leases end, the others live on. Leases that metering no longer knows are forgotten here
   * too.
   */
  async round(name: 'quotas' | 'budgets'): Promise<void> {
    const kind = this.kinds[name];
    const nowMs = this.clock.monotonicMs();
    await giveBack(kind, ({ lastUsedAtMs }) => nowMs - lastUsedAtMs >= kind.everyMs);
    const leases = kind.held.all().filter(({ endsAtMs }) => endsAtMs !== null);
    const { renewed, ttlMs } = await renewAll(
      kind,
      leases.map(({ leaseId }) => ({ leaseId, giveBack: 0, close: false })),
    );
    for (const lease of leases) {
      if (renewed.has(lease.leaseId)) lease.endsAtMs = nowMs + ttlMs;
      else kind.held.drop(lease);
    }
  }
}

/**
 * Ends leases without running requests. They are dropped before metering hears of it, so that no request can
 * reserve from one that is ending.
 */
async function giveBack(kind: Kind, isDue: (lease: HeldLease) => boolean): Promise<void> {
  const { held, givesBackUnanswered } = kind;
  const ended = held.all().filter((lease) => !lease.isInUse && (held.isRetired(lease) || isDue(lease)));
  for (const lease of ended) held.drop(lease);
  const told = ended.filter(({ endsAtMs }) => givesBackUnanswered || endsAtMs !== null);
  await renewAll(
    kind,
    told.map((lease) => ({ leaseId: lease.leaseId, giveBack: lease.takeUnused(), close: true })),
  );
}

/** Renews any number of leases. Returns those that live on, and for how long from now. */
async function renewAll(kind: Kind, leases: LeaseChange[]): Promise<{ renewed: Set<string>; ttlMs: number }> {
  const renewed = new Set<string>();
  let ttlMs = 0;
  for (let start = 0; start < leases.length; start += leasesPerCall) {
    const answer = await kind.renew(leases.slice(start, start + leasesPerCall));
    for (const leaseId of answer.renewed) renewed.add(leaseId);
    ttlMs = answer.ttlMs;
  }
  return { renewed, ttlMs };
}
