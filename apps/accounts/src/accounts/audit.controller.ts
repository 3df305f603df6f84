import { Controller } from '@nestjs/common';
import { administrationOperations, ControlError } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { z } from 'zod';
import { Changes } from '../keys/changes';
import type { Reply, Request } from '../operations';
import { isUuid, Storage } from '../storage';
import { findAccount, operatorAccount } from './account-rows';

const storedDetail = z.record(z.string(), z.unknown());

/** The operations on the audit log, which every change writes (Change.audit). They throw ControlError `unavailable` when the database is away. */
@Controller()
export class AuditController {
  constructor(
    private readonly storage: Storage,
    private readonly changes: Changes,
  ) {}

  /** Keeps what an administrator did in another service. @throws ControlError `not_found` (the account). */
  @Serve(administrationOperations.recordAct)
  record({ accountId, actor, action, detail }: Request<'recordAct'>): Promise<Reply<'recordAct'>> {
    return this.changes.commit(async (change) => {
      const { id } =
        accountId === undefined
          ? await operatorAccount(change, actor)
          : await findAccount(change.transaction, accountId);
      await change.audit({ actor, action, accountId: id, detail });
      return {};
    });
  }

  /** One page of lines, the newest first: all, or those of one account. @throws ControlError `invalid` (a wrong cursor or account id). */
  @Serve(administrationOperations.listAudit)
  async list({ accountId, limit, after }: Request<'listAudit'>): Promise<Reply<'listAudit'>> {
    if (accountId !== undefined && !isUuid(accountId))
      throw new ControlError('invalid', 'accountId: give the id that the list of accounts shows.');
    if (after !== undefined && !/^\d{1,18}$/.test(after))
      throw new ControlError('invalid', 'after: this is not the end of a page.');
    const id = after === undefined ? undefined : { lt: BigInt(after) };
    // One more than asked for tells whether there is a next page.
    const query = { where: { accountId, id }, orderBy: { id: 'desc' as const }, take: limit + 1 };
    const found = await this.storage.read(({ accountAudit }) => accountAudit.findMany(query));
    const lines = found.slice(0, limit).map((line) => ({
      ...line,
      id: String(line.id),
      at: line.at.getTime(),
      detail: storedDetail.parse(line.detail),
    }));
    return { lines, next: found.length > limit ? (lines.at(-1)?.id ?? null) : null };
  }
}
