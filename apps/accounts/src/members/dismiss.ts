import type { Change } from '../keys/changes';
import { revokeKeysOf } from '../keys/key-rows';
import { removePerson } from '../people/person-rows';
import type { StoredPerson } from '../people/stored-person';

/**
 * Within a change: removes somebody with their sessions, and revokes their keys. Returns how many worked
 * until now. Call it as the last write: edges are told of keys as they are then.
 */
export async function dismiss(change: Change, { id }: Pick<StoredPerson, 'id'>): Promise<number> {
  const keyIds = await revokeKeysOf(change.transaction, id);
  await removePerson(change.transaction, id);
  await change.touchKeys(keyIds);
  return keyIds.length;
}
