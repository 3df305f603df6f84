import { ControlError } from '@tollgate/contracts';
import { operatorEmail } from '../accounts/operator-email';
import type { AccountsSettings } from '../settings';
import type { AccountsQueries } from '../storage';

/** Of an account: `email` is the address it goes by. */
interface KeysOwner {
  id: string;
  email: string;
}

/**
 * That one more key of an account may work: the limits of a plan are those of each. The operator's own
 * account has as many as they like. Changes are one after the other, so that several at once cannot pass it.
 * `wayOut`: what whoever asks can do about it at once.
 * @throws ControlError `conflict`.
 */
export async function requireRoomForKey(
  { apiKey }: Pick<AccountsQueries, 'apiKey'>,
  { keysPerAccount: most }: Pick<AccountsSettings, 'keysPerAccount'>,
  { id: accountId, email }: KeysOwner,
  wayOut = 'revoke one first',
): Promise<void> {
  if (email === operatorEmail) return;
  const goesOn = [{ expiresAt: null }, { expiresAt: { gt: new Date() } }];
  if ((await apiKey.count({ where: { accountId, status: 'active', OR: goesOn } })) < most) return;
  const told = most.toLocaleString('en-US');
  throw new ControlError(
    'conflict',
    `At most ${told} keys of an account may work: ${wayOut}, or ask the operator for more (KEYS_PER_ACCOUNT).`,
  );
}
