import { Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { z } from 'zod';
import type { Reply, Request } from '../operations';
import { Storage } from '../storage/storage';
import { isUuid } from '../storage/uuid';

const storedDetail = z.record(z.string(), z.unknown());

/** Shows the audit log. */
@Injectable()
export class AuditListing {
  constructor(private readonly storage: Storage) {}

  /** One page of lines, the newest first: all, or those of one account. @throws ControlError `invalid` (a wrong cursor or account id), `unavailable`. */
  list({ accountId, limit, after }: Request<'listAudit'>): Promise<Reply<'listAudit'>> {
    if (accountId !== undefined && !isUuid(accountId))
      throw new ControlError('invalid', 'accountId: give the id that the list of accounts shows.');
    if (after !== undefined && !/^\d{1,18}$/.test(after))
      throw new ControlError('invalid', 'after: this is not the end of a page.');
    return this.storage.read(async (queries) => {
      const id = after === undefined ? undefined : { lt: BigInt(after) };
      // One more than asked for tells whether there is a next page.
      const found = await queries.accountAudit.findMany({
        where: { accountId, id },
        orderBy: { id: 'desc' },
        take: limit + 1,
      });
      const lines = found.slice(0, limit).map((line) => ({
        id: String(line.id),
        at: line.at.getTime(),
        actor: line.actor,
        action: line.action,
        accountId: line.accountId,
        keyId: line.keyId,
        detail: storedDetail.parse(line.detail),
      }));
      return { lines, next: found.length > limit ? (lines.at(-1)?.id ?? null) : null };
    });
  }
}
