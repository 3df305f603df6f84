import { Injectable, Optional } from '@nestjs/common';
import { meteringOperations } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import type { z } from 'zod';
import { Databases } from '../databases';
import { KeyedQueue } from './keyed-queue';
import { answeredBefore, raiseLease, renewLeases } from './lease-rows';
import type { LeaseTable } from './lease-rows';
import { lockUsedTokens, quotaRecord } from './quota-month';

type AcquireRequest = z.output<typeof meteringOperations.acquireLease.request>;
type AcquireReply = z.output<typeof meteringOperations.acquireLease.reply>;
type RenewRequest = z.output<typeof meteringOperations.renewLeases.request>;

interface LockedLease {
  id: string;
  held: bigint;
  sequence: bigint;
  lastGranted: bigint;
  expired: boolean;
}

const table: LeaseTable = {
  name: Prisma.sql`quota_lease`,
  of: 'key',
  owner: Prisma.sql`key_id`,
  isOwners: Prisma.sql`lease.key_id = excluded.key_id`,
  held: Prisma.sql`held_tokens`,
  closedAt: Prisma.sql`lease.expires_at`,
};

/**
 * Grants edges tokens to reserve from, so that used + held <= quota for every key, whatever happens at the
 * same time.
 * A lease is a row, and counts as long as the row exists. It ends in one of three ways, each under the row's
 * lock: its tokens were all used or given back, the edge closed it, or it was not renewed within `ttlMs` (by
 * the database's clock) and somebody asked for its tokens.
 */
@Injectable()
export class QuotaLeases {
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
    @Optional() private readonly ttlMs: number = 60_000,
  ) {}

  /** @throws ControlError `conflict` when the sequence number was overtaken, or the id is another key's. */
  acquire(request: AcquireRequest): Promise<AcquireReply> {
    // Requests for one key wait for each other anyway; here they do so without each holding a connection.
    return this.queue.run(request.keyId, () =>
      this.databases.operations.$transaction((queries) => this.raise(queries, request)),
    );
  }

  /**
   * Extends the leases that exist, takes back what each no longer needs, and says which those were. A closed
   * lease is not extended.
   */
  renew({ edgeId, leases }: RenewRequest): Promise<{ renewed: string[]; ttlMs: number }> {
    const changes = leases.map(({ giveBackTokens, ...change }) => ({ ...change, giveBack: giveBackTokens }));
    return renewLeases(this.databases.operations, table, { edgeId, leases: changes, ttlMs: this.ttlMs });
  }

  /** Tokens and number of the leases that have not run out. */
  async live(): Promise<{ tokens: number; leases: number }> {
    const [row] = await this.databases.operations.$queryRaw<{ tokens: bigint; leases: bigint }[]>`
      SELECT coalesce(sum(held_tokens), 0)::bigint AS tokens, count(*) AS leases
      FROM quota_lease WHERE expires_at > clock_timestamp()`;
    return { tokens: Number(row?.tokens ?? 0), leases: Number(row?.leases ?? 0) };
  }

  /**
   * Removes leases that ran out; they count no more. Rows that someone else works on are left for the next
   * time.
   */
  async sweep(): Promise<void> {
    await this.databases.operations.$executeRaw`
      DELETE FROM quota_lease WHERE id IN (
        SELECT id FROM quota_lease WHERE expires_at <= clock_timestamp() ORDER BY id FOR UPDATE SKIP LOCKED
      )`;
  }

  private async raise(transaction: Queries<'metering'>, request: AcquireRequest): Promise<AcquireReply> {
    const nowMs = this.now();
    const used = await lockUsedTokens(transaction, request.keyId, nowMs);
    const leases = await lockLeases(transaction, request.keyId);
    const granted = grant(request, used, leases);
    await this.write(transaction, request, granted, leases);
    return { granted: Number(granted), ttlMs: this.ttlMs, record: quotaRecord(used, request.quotaTokens, nowMs) };
  }

  private async write(
    transaction: Queries<'metering'>,
    request: AcquireRequest,
    granted: bigint,
    leases: LockedLease[],
  ): Promise<void> {
    const ended = leases.filter(({ expired }) => expired).map(({ id }) => id);
    if (ended.length > 0) await transaction.quotaLease.deleteMany({ where: { id: { in: ended } } });
    const own = leases.find(({ id, expired }) => id === request.leaseId && !expired);
    await raiseLease(transaction, table, request, {
      ownerId: Prisma.sql`${request.keyId}`,
      added: own?.sequence === BigInt(request.sequence) ? 0n : granted,
      granted,
      ttlMs: this.ttlMs,
    });
  }
}

/** All leases of a key, locked in the order of their ids, and whether each has run out. */
function lockLeases(transaction: Queries<'metering'>, keyId: string): Promise<LockedLease[]> {
  return transaction.$queryRaw<LockedLease[]>`
    SELECT id, held_tokens AS held, sequence, last_granted AS "lastGranted", expires_at <= clock_timestamp() AS expired
    FROM quota_lease WHERE key_id = ${keyId} ORDER BY id FOR UPDATE`;
}

/** What is left, at most what was asked for; the old answer when this sequence number was answered before. */
function grant(request: AcquireRequest, used: bigint, leases: LockedLease[]): bigint {
  const own = leases.find(({ id, expired }) => id === request.leaseId && !expired);
  const answered = answeredBefore(request, own);
  if (answered !== null) return answered;
  const held = leases.reduce((sum, lease) => sum + (lease.expired ? 0n : lease.held), 0n);
  const left = BigInt(request.quotaTokens) - used - held;
  const asked = BigInt(request.tokens);
  return left <= 0n ? 0n : left < asked ? left : asked;
}
