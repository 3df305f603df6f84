import { Injectable, Optional } from '@nestjs/common';
import type { UnsettledLease } from '@tollgate/contracts/metering';
import { Databases } from '../databases';

/**
 * Tokens of leases that ended without an event for them. `tokens` and `count` are of all, `leases` the oldest
 * thousand.
 */
export interface Unsettled {
  leases: UnsettledLease[];
  count: number;
  tokens: number;
}

/**
 * Events may be this late before their lease is reported: they wait in JetStream while metering or Postgres
 * is away.
 */
const graceMs = 120_000;
const mostLeases = 1_000;
const keptDays = 35;

/**
 * Reservations whose usage event never came. A trigger keeps what a lease still held when it ended (table
 * `unsettled_lease`), ingest takes out what late events used, and what stays is reported here: at most what
 * requests used without an event, for an edge that died also held tokens that no request had.
 */
@Injectable()
export class UnsettledLeases {
  private told = new Set<string>();

  constructor(
    private readonly databases: Databases,
    @Optional() private readonly afterMs: number = graceMs,
  ) {}

  /** What is missing now, and which leases of it the look before did not find. */
  async look(): Promise<Unsettled & { newLeases: UnsettledLease[] }> {
    const found = await this.read();
    const newLeases = found.leases.filter(({ leaseId }) => !this.told.has(leaseId));
    this.told = new Set(found.leases.map(({ leaseId }) => leaseId));
    return { ...found, newLeases };
  }

  /** Removes leases that somebody looked into. */
  async forget(leases: readonly UnsettledLease[]): Promise<void> {
    await this.databases.operations.unsettledLease.deleteMany({
      where: { id: { in: leases.map(({ leaseId }) => leaseId) } },
    });
  }

  /** Removes what is settled by now, and what is too old to be looked into. */
  async clean(): Promise<void> {
    await this.databases.operations.$executeRaw`
      DELETE FROM unsettled_lease WHERE id IN (
        SELECT id FROM unsettled_lease
        WHERE held_tokens = 0 OR ended_at < clock_timestamp() - ${keptDays}::int * interval '1 day'
        ORDER BY id FOR UPDATE SKIP LOCKED
      )`;
  }

  /** What is missing now. */
  async read(): Promise<Unsettled> {
    const rows = await this.databases.operations.$queryRaw<
      { id: string; key: string; edge: string; held: bigint; endedAt: Date; count: bigint; tokens: bigint }[]
    >`
      SELECT id, key_id AS key, edge_id AS edge, held_tokens AS held, ended_at AS "endedAt",
        count(*) OVER () AS count, (sum(held_tokens) OVER ())::bigint AS tokens
      FROM unsettled_lease
      WHERE held_tokens > 0 AND ended_at <= clock_timestamp() - ${this.afterMs}::int * interval '1 millisecond'
      ORDER BY ended_at, id LIMIT ${mostLeases}`;
    return {
      leases: rows.map(({ id, key, edge, held, endedAt }) => {
        return { leaseId: id, keyId: key, edgeId: edge, tokens: Number(held), endedAt: endedAt.getTime() };
      }),
      count: Number(rows[0]?.count ?? 0),
      tokens: Number(rows[0]?.tokens ?? 0),
    };
  }
}
