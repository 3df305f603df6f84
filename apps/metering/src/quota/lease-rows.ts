import { ControlError } from '@tollgate/contracts';
import type { Prisma, Queries } from '@tollgate/database';

/**
 * A table of leases: its name, whose they are, and the columns of that and of what one holds. `isOwners`:
 * whether `lease` is of the same as `excluded`.
 */
export interface LeaseTable {
  readonly name: Prisma.Sql;
  readonly of: 'key' | 'budget';
  readonly owner: Prisma.Sql;
  readonly isOwners: Prisma.Sql;
  readonly held: Prisma.Sql;
  /** When a lease ends that its edge closed. */
  readonly closedAt: Prisma.Sql;
}

/** What an edge tells of a lease: it gives back so much, and closes it or lives on with the rest. */
interface Change {
  leaseId: string;
  giveBack: number | string;
  close: boolean;
}

/**
 * Extends the leases that exist, takes back what each no longer needs, and says which those were. A closed
 * lease is not extended.
 */
export async function renewLeases(
  queries: Queries<'metering'>,
  { name, held, closedAt }: LeaseTable,
  { edgeId, leases, ttlMs }: { edgeId: string; leases: readonly Change[]; ttlMs: number },
): Promise<{ renewed: string[]; ttlMs: number }> {
  const rows = await queries.$queryRaw<{ id: string }[]>`
    WITH change AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(leases)}::json)
        AS change ("leaseId" text, "giveBack" bigint, "close" boolean)
    ),
    locked AS (
      SELECT id FROM ${name}
      WHERE id IN (SELECT "leaseId" FROM change) AND edge_id = ${edgeId} AND expires_at > clock_timestamp()
      ORDER BY id FOR UPDATE
    )
    UPDATE ${name} AS lease SET
      ${held} = greatest(0, lease.${held} - change."giveBack"),
      expires_at = CASE WHEN change."close" THEN ${closedAt}
        ELSE clock_timestamp() + ${ttlMs}::int * interval '1 millisecond' END
    FROM locked JOIN change ON change."leaseId" = locked.id
    WHERE lease.id = locked.id
    RETURNING lease.id`;
  return { renewed: rows.map(({ id }) => id), ttlMs };
}

/**
 * Begins a lease that holds `added`, or raises it by so much. `granted`: what the question of this sequence
 * number is answered.
 * @throws ControlError `conflict` when the lease is another owner's.
 */
export async function raiseLease(
  transaction: Queries<'metering'>,
  { name, of, owner, isOwners, held }: LeaseTable,
  { leaseId, edgeId, sequence }: { leaseId: string; edgeId: string; sequence: number },
  { ownerId, added, granted, ttlMs }: { ownerId: Prisma.Sql; added: bigint; granted: bigint; ttlMs: number },
): Promise<void> {
  const written = await transaction.$executeRaw`
    INSERT INTO ${name} AS lease (id, ${owner}, edge_id, ${held}, sequence, last_granted, expires_at)
    VALUES (${leaseId}, ${ownerId}, ${edgeId}, ${added}, ${sequence}, ${granted},
      clock_timestamp() + ${ttlMs}::int * interval '1 millisecond')
    ON CONFLICT (id) DO UPDATE SET
      ${held} = lease.${held} + excluded.${held}, sequence = excluded.sequence,
      last_granted = excluded.last_granted, expires_at = excluded.expires_at
    WHERE ${isOwners}`;
  if (written === 0) throw new ControlError('conflict', `Lease ${leaseId} belongs to another ${of}.`);
}

/**
 * What this sequence number of a lease was granted before; null: it is asked for the first time.
 * @throws ControlError `conflict` when a later question was answered already.
 */
export function answeredBefore(
  request: { leaseId: string; sequence: number },
  own: { sequence: bigint; lastGranted: bigint } | null | undefined,
): bigint | null {
  const sequence = BigInt(request.sequence);
  if (own?.sequence === sequence) return own.lastGranted;
  if (own && own.sequence > sequence)
    throw new ControlError('conflict', `Lease ${request.leaseId} was raised by request ${own.sequence} already.`);
  return null;
}
