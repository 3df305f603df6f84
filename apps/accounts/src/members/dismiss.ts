import type { Change } from '../keys/changes';
import { keyIdsOf, revokeKeysOf } from '../keys/key-rows';
import { removePerson } from '../people/person-rows';
import type { StoredPerson } from '../people/stored-person';

/**
 * Within a change: removes somebody with their sessions, and revokes their keys. Returns how many worked
 * until now. Call it as the last write: edges are told of keys as they are then.
 */
export async function dismiss(change: Change, { id, accountId, role }: StoredPerson): Promise<number> {
  const { transaction } = change;
  const revoked = await revokeKeysOf(transaction, id);
  await removePerson(transaction, id);
  // What an account's machines are told may have rested on who is gone: they administered the gateway.
  await change.touchKeys(role === 'administrator' ? await keyIdsOf(transaction, accountId) : revoked);
  return revoked.length;
}
