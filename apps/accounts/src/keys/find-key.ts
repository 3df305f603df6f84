import { ControlError } from '@tollgate/contracts';
import { isUuid } from '../storage/uuid';
import type { AccountsQueries } from '../storage/storage';
import type { StoredKey } from './stored-key';

/** @throws ControlError `not_found` when no key has this id, or when it is not of the account that is named. */
export async function findKey(
  queries: Pick<AccountsQueries, 'apiKey'>,
  keyId: string,
  accountId?: string,
): Promise<StoredKey> {
  const key = isUuid(keyId)
    ? await queries.apiKey.findUnique({ where: { id: keyId }, include: { account: true } })
    : null;
  if (!key || (accountId !== undefined && key.accountId !== accountId))
    throw new ControlError('not_found', `There is no key with the id ${JSON.stringify(keyId)}.`);
  return key;
}
