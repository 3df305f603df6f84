import { Inject, Injectable } from '@nestjs/common';
import { GatewayError, monthStartMs, rateLimitError } from '@tollgate/contracts';
import type { CallerKey } from '@tollgate/contracts/accounts';
import type { QuotaRecord } from '@tollgate/contracts/metering';
import { LruMap } from '@tollgate/messaging';
import { Clock } from '../../clock';
import { HeldLeases, leaseSize } from './held-leases';
import { LoneAllowance, QuotaLease } from './quota-lease';
import { MeteringLeases } from './metering-leases';

/**
 * After metering granted less than was asked, it is not asked again for this long: what comes back here is
 * used at once anyway.
 */
const exhaustedMs = 500;
/** While metering is away and has never told a key's quota, this part of the quota may be used. */
const blindShare = 20;
/**
 * What no request here holds, another edge does: it gives back what nobody used for 20 s, in rounds of 20 s
 * (LeaseRounds).
 */
const heldElsewhereS = 40;
/** Keys whose last record is remembered. */
const rememberedRecords = 100_000;

/** The limits of a key that its quota depends on. */
export type QuotaHolder = Pick<CallerKey, 'id' | 'quotaTokens'>;

/**
 * `tokens` set aside for one request. `leaseId` null: the key has no quota, or metering was away. It is
 * settled once; later calls do nothing.
 */
export interface Reservation {
  readonly leaseId: string | null;
  readonly tokens: number;
  /** The request ended having used so many tokens; null: unknown, so all that was reserved counts as used. */
  settle(usedTokens: number | null): void;
}

/** The reservation of a request that uses no quota. */
export const noReservation: Reservation = { leaseId: null, tokens: 0, settle: () => undefined };

/** The quota of a key as metering last told it, and the tokens that this edge spent since then. */
interface KnownQuota {
  record: QuotaRecord;
  spentSince: number;
}

/**
 * Reserves tokens locally out of leases of metering, so that a request usually needs no question. The sum of
 * what was used and what all leases hold never exceeds the quota while metering answers; while it is away
 * each edge goes on within what it last knew to be left.
 */
@Injectable()
export class QuotaReservations {
  readonly leases: HeldLeases<QuotaLease>;
  private readonly quotas = new LruMap<KnownQuota>(rememberedRecords);
  private readonly alone = new LoneAllowance();

  constructor(
    @Inject(MeteringLeases) private readonly metering: Pick<MeteringLeases, 'acquireTokens'>,
    private readonly clock: Clock,
  ) {
    this.leases = new HeldLeases(clock);
  }

  /**
   * Sets `tokens` (an upper bound of what a request may use) aside.
   * @throws GatewayError 429 when the quota has not so many left, naming the seconds until it resets, or
   * until other requests give back what they hold; 503 when metering is away and nothing is known.
   */
  reserve(key: QuotaHolder, tokens: number): Reservation | Promise<Reservation> {
    if (key.quotaTokens === null) return noReservation;
    const lease = this.lease(key.id, key.quotaTokens);
    return this.tryReserve(lease, tokens) ?? this.reserveByAsking(key.id, key.quotaTokens, tokens);
  }

  /**
   * What metering last told of a key's quota, with what was spent here since; null when it told nothing yet.
   */
  record(key: QuotaHolder): QuotaRecord | null {
    const known = this.quotas.peek(key.id);
    if (!known || key.quotaTokens === null) return null;
    if (known.record.resetsAt <= this.clock.nowMs()) return null;
    const used = known.record.used + known.spentSince;
    return {
      used,
      quota: key.quotaTokens,
      remaining: Math.max(0, key.quotaTokens - used),
      resetsAt: known.record.resetsAt,
    };
  }

  /** Remembers a record that metering told. */
  remember(keyId: string, record: QuotaRecord): void {
    this.quotas.set(keyId, { record, spentSince: 0 });
  }

  private lease(keyId: string, quotaTokens: number): QuotaLease {
    return this.leases.of(
      keyId,
      (lease) => lease.quotaTokens === quotaTokens,
      (leaseId, nowMs, former) => new QuotaLease(leaseId, keyId, quotaTokens, nowMs, former),
    );
  }

  private tryReserve(lease: QuotaLease, tokens: number): Reservation | null {
    if (lease.available < tokens) return null;
    lease.reserve(tokens, this.clock.monotonicMs());
    const ended = lease.holds.began(this.clock.monotonicMs());
    const settle = (used: number) => {
      const nowMs = this.clock.monotonicMs();
      ended(nowMs);
      lease.settle(tokens, used, nowMs);
    };
    return this.reservation(lease.ownerId, lease.leaseId, tokens, settle);
  }

  private reservation(
    keyId: string,
    leaseId: string | null,
    tokens: number,
    settle: (usedTokens: number) => void,
  ): Reservation {
    let settled = false;
    return {
      leaseId,
      tokens,
      settle: (usedTokens) => {
        if (settled) return;
        settled = true;
        const used = usedTokens ?? tokens;
        settle(used);
        const known = this.quotas.peek(keyId);
        if (known) known.spentSince += used;
      },
    };
  }

  private reserveByAsking(keyId: string, quotaTokens: number, tokens: number): Promise<Reservation> {
    return this.leases.take({
      lease: () => this.lease(keyId, quotaTokens),
      take: (lease) => this.tryReserve(lease, tokens),
      ask: (lease) => this.ask(lease, tokens),
      refuse: () => {
        throw this.refusal(keyId, quotaTokens, tokens);
      },
      alone: () => this.reserveAlone(keyId, quotaTokens, tokens),
    });
  }

  private async ask(lease: QuotaLease, tokens: number): Promise<void> {
    const { leaseId, ownerId: keyId, quotaTokens } = lease;
    const askedAtMs = this.clock.monotonicMs();
    const remaining = this.record({ id: keyId, quotaTokens })?.remaining ?? quotaTokens;
    const needed = tokens - lease.available;
    const size = leaseSize(needed, lease.lastSize, remaining);
    const asked = { leaseId, keyId, sequence: ++lease.sequence, tokens: size, quotaTokens };
    const answer = await this.metering.acquireTokens(asked);
    lease.granted += answer.granted;
    lease.endsAtMs = askedAtMs + answer.ttlMs;
    lease.lastSize = size;
    if (answer.granted < needed) lease.exhaustedUntilMs = this.clock.monotonicMs() + exhaustedMs;
    this.remember(keyId, answer.record);
    this.alone.forget(keyId);
  }

  /**
   * Metering is away: the request goes on within what was last known to be left, counting only what this edge
   * lets through.
   */
  private reserveAlone(keyId: string, quotaTokens: number, tokens: number): Reservation {
    const known = this.record({ id: keyId, quotaTokens });
    const leased = this.leases.find(keyId)?.reserved ?? 0;
    const limit = known
      ? quotaTokens - known.used - leased + this.alone.spent(keyId)
      : Math.floor(quotaTokens / blindShare);
    const settle = this.alone.reserve(keyId, tokens, limit);
    if (settle) return this.reservation(keyId, null, tokens, settle);
    throw known ? this.refusal(keyId, quotaTokens, tokens) : meteringAway();
  }

  /**
   * What is used of the quota keeps the request out until the month ends; what others only hold comes back,
   * as a rule when one of them ends.
   */
  private refusal(keyId: string, quotaTokens: number, tokens: number): GatewayError {
    const known = this.record({ id: keyId, quotaTokens });
    const nowMs = this.clock.nowMs();
    if (known?.remaining != null && tokens <= known.remaining) {
      const waitS = this.leases.find(keyId)?.holds.waitS(this.clock.monotonicMs()) ?? heldElsewhereS;
      return rateLimitError(waitS, { limit: 'tokens', reason: 'tokens_reserved' });
    }
    const resetsAt = known?.resetsAt ?? monthStartMs(nowMs, 1);
    return rateLimitError(Math.max(1, Math.ceil((resetsAt - nowMs) / 1_000)), {
      limit: 'tokens',
      reason: 'quota_exhausted',
    });
  }
}

function meteringAway(): GatewayError {
  return new GatewayError(503, 'The token quota cannot be checked at the moment, try again shortly.', 5);
}
