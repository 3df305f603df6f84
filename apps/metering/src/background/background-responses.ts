import { Injectable, Optional } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { backgroundLeaseMs, backgroundPartIds } from '@tollgate/contracts/metering';
import type { TakenWork } from '@tollgate/contracts/metering';
import { Databases } from '../databases';
import type { BackgroundReply, BackgroundRequest } from '../operations';

type Owned = BackgroundRequest<'cancel'>;

/**
 * Which edge works on which response, by leases that end where an edge does. Rows go when their response is
 * finished.
 */
@Injectable()
export class BackgroundResponses {
  constructor(
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** An answer that was lost makes an edge ask again: the same work of the same edge changes nothing. */
  async begin({ bornAt, ...work }: BackgroundRequest<'begin'>): Promise<void> {
    const row = { ...work, bornAt: new Date(bornAt), leasedUntil: this.leaseEnd() };
    await this.databases.operations.backgroundResponse.createMany({ data: [row], skipDuplicates: true });
  }

  /** Those that this edge still has, for longer from now on. */
  async renew({ holder, works }: BackgroundRequest<'renew'>): Promise<BackgroundReply<'renew'>['works']> {
    return this.databases.operations.$queryRaw<BackgroundReply<'renew'>['works']>`
      UPDATE background_response AS held SET leased_until = ${this.leaseEnd()}
      FROM unnest(
        ${works.map(({ accountId }) => accountId)}::text[], ${works.map(({ id }) => id)}::text[]
      ) AS wanted(account_id, id)
      WHERE held.account_id = wanted.account_id AND held.id = wanted.id AND held.holder = ${holder}
      RETURNING held.account_id AS "accountId", held.id, held.cancelled AS "isCancelled"`;
  }

  /** Work whose lease is over, for this edge; two that ask at once get none of it both. */
  async take({ holder, most }: BackgroundRequest<'take'>): Promise<TakenWork[]> {
    const rows = await this.databases.operations.$queryRaw<(Omit<TakenWork, 'bornAt'> & { bornAt: Date })[]>`
      UPDATE background_response AS held
      SET holder = ${holder}, leased_until = ${this.leaseEnd()}, makings = held.makings + 1
      FROM (
        SELECT account_id, id FROM background_response WHERE leased_until < ${new Date(this.now())}
        ORDER BY leased_until LIMIT ${most} FOR UPDATE SKIP LOCKED
      ) AS free
      WHERE held.account_id = free.account_id AND held.id = free.id
      RETURNING held.account_id AS "accountId", held.id, held.key_id AS "keyId", held.event_id AS "eventId",
        held.born_at AS "bornAt", held.makings, held.cancelled AS "isCancelled"`;
    return rows.map((row) => ({ ...row, bornAt: row.bornAt.getTime() }));
  }

  /** @throws ControlError `not_found` for one that is finished, was removed, or never was. */
  async find({ accountId, id }: Owned): Promise<BackgroundReply<'find'>> {
    const row = await this.databases.operations.backgroundResponse.findUnique({
      where: { accountId_id: { accountId, id } },
    });
    if (!row) throw notFound(id);
    return { isHeld: row.leasedUntil.getTime() > this.now(), isCancelled: row.cancelled };
  }

  /** @throws ControlError as `find`. */
  async cancel({ accountId, id }: Owned): Promise<void> {
    const data = { cancelled: true };
    const { count } = await this.databases.operations.backgroundResponse.updateMany({ where: { accountId, id }, data });
    if (count === 0) throw notFound(id);
  }

  /** Nothing, where another edge has it. */
  async release({ accountId, id, holder }: BackgroundRequest<'release'>): Promise<void> {
    // A moment ago, since a lease that ends now is not over yet.
    const data = { leasedUntil: new Date(this.now() - 1) };
    await this.databases.operations.backgroundResponse.updateMany({ where: { accountId, id, holder }, data });
  }

  /** Nothing, where another edge has it: that one finishes it. */
  async finish({ accountId, id, holder }: BackgroundRequest<'finish'>): Promise<void> {
    const { operations } = this.databases;
    const [row] = await operations.backgroundResponse.findMany({ where: { accountId, id, holder } });
    if (!row) return;
    await operations.storedTurn.deleteMany({ where: { accountId, id, bornAt: row.bornAt } });
    await operations.storedTurn.deleteMany({ where: { accountId, id: { in: backgroundPartIds(id) } } });
    await operations.backgroundResponse.deleteMany({ where: { accountId, id, holder } });
  }

  private leaseEnd(): Date {
    return new Date(this.now() + backgroundLeaseMs);
  }
}

function notFound(id: string): ControlError {
  return new ControlError('not_found', `No response ${id} is being made in the background.`);
}
