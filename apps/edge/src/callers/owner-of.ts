import type { CallerKey } from '@tollgate/contracts';
import type { Owner } from '@tollgate/messaging';

/** Whose memory and turns those of a key are. */
export function ownerOf({ id, accountId }: Pick<CallerKey, 'id' | 'accountId'>): Owner {
  return { keyId: id, accountId };
}
