import { apiKeyDigest, apiKeyDisplay, createApiKey, uuidv7 } from '@tollgate/contracts';
import type { Change } from '../changes/change';
import type { KeySettings } from './key-settings';
import type { StoredKey } from './stored-key';

/** What is decided about a new key before it is made. */
export type NewKey = Pick<
  StoredKey,
  | 'accountId'
  | 'name'
  | 'plan'
  | 'rpm'
  | 'rpmUnlimited'
  | 'quotaTokens'
  | 'quotaUnlimited'
  | 'models'
  | 'cacheTtlS'
  | 'logContent'
  | 'expiresAt'
>;

/** Makes a key and stores its digest. Returns the key itself, which nobody can tell again, and its id. */
export async function insertKey(
  { transaction }: Change,
  { prefix, pepper }: KeySettings,
  key: NewKey,
): Promise<{ apiKey: string; id: string }> {
  const apiKey = createApiKey(prefix);
  const id = uuidv7();
  const derived = { id, digest: apiKeyDigest(apiKey, pepper), display: apiKeyDisplay(apiKey) };
  await transaction.apiKey.create({ data: { ...key, ...derived } });
  return { apiKey, id };
}
