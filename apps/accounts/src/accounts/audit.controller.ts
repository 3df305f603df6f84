import { Controller } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import { administrationOperations } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { Serve } from '@tollgate/messaging';
import { z } from 'zod';
import { Changes } from '../keys/changes';
import type { Reply, Request } from '../operations';
import { Storage, type AccountsQueries } from '../storage';
import { findAccount, operatorAccount, part } from './account-rows';

const storedDetail = z.record(z.string(), z.unknown());

/**
 * The operations on the audit log, which every change writes (Change.audit). They throw ControlError
 * `unavailable` when the database is away.
 */
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

  /**
   * One page of lines, the newest first: all, or those that were looked for.
   * @throws ControlError `invalid` (a wrong cursor or account id).
   */
  @Serve(administrationOperations.listAudit)
  async list({ accountId, action, query: words, limit, after }: Request<'listAudit'>): Promise<Reply<'listAudit'>> {
    if (accountId !== undefined && !isUuid(accountId))
      throw new ControlError('invalid', 'accountId: give the id that the list of accounts shows.');
    if (after !== undefined && !/^\d{1,18}$/.test(after))
      throw new ControlError('invalid', 'after: this is not the end of a page.');
    const id = after === undefined ? undefined : { lt: BigInt(after) };
    const found = await this.storage.read(async (queries) =>
      queries.accountAudit.findMany({
        where: { accountId, action, id, ...(words && (await concerning(queries, words))) },
        orderBy: { id: 'desc' },
        // One more than asked for tells whether there is a next page.
        take: limit + 1,
      }),
    );
    const lines = found.slice(0, limit).map((line) => ({
      ...line,
      id: String(line.id),
      at: line.at.getTime(),
      detail: storedDetail.parse(line.detail),
    }));
    return { lines, next: found.length > limit ? (lines.at(-1)?.id ?? null) : null };
  }
}

/** So many accounts and keys are looked for by a part of their name; whoever gets more should say more. */
const mostNamed = 500;

/** Lines by somebody, or about an account or a key, with this part in their name or address. */
async function concerning({ account, apiKey }: AccountsQueries, words: string) {
  const named = { name: part(words) };
  const ids = { select: { id: true }, take: mostNamed, orderBy: { id: 'desc' as const } };
  const accounts = await account.findMany({ where: { OR: [named, { email: part(words) }] }, ...ids });
  const keys = await apiKey.findMany({ where: named, ...ids });
  return {
    OR: [
      { actor: part(words) },
      { accountId: { in: accounts.map(({ id }) => id) } },
      { keyId: { in: keys.map(({ id }) => id) } },
    ],
  };
}
