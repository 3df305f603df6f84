import { ControlError } from '@tollgate/contracts';
import { isUuid } from '../storage/uuid';
import type { AccountsQueries } from '../storage/storage';
import type { StoredKey } from './stored-key';

/** @throws ControlError `not_found` when no key has this id. */
export async function findKey(queries: Pick<AccountsQueries, 'apiKey'>, keyId: string): Promise<StoredKey> {
  const key = isUuid(keyId)
    ? await queries.apiKey.findUnique({ where: { id: keyId }, include: { account: true } })
    : null;
  if (!key) throw new ControlError('not_found', `There is no key with the id ${JSON.stringify(keyId)}.`);
  return key;
}
