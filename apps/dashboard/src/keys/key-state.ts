import type { KeySummary } from '@tollgate/contracts/accounts';
import type { BadgeTone } from '../design/badge';

type Key = Pick<KeySummary, 'keyStatus' | 'accountStatus' | 'expiresAt'>;

/** What would happen to a request with this key now, in one word. */
export function keyStateOf(
  { keyStatus, accountStatus, expiresAt }: Key,
  now: number,
): { tone: BadgeTone; text: string } {
  if (keyStatus === 'revoked') return { tone: 'plain', text: 'Revoked' };
  if (expiresAt !== null && expiresAt <= now) return { tone: 'plain', text: 'Expired' };
  if (accountStatus === 'pending') return { tone: 'warn', text: 'Waits for approval' };
  if (accountStatus !== 'active') return { tone: 'bad', text: 'Refused' };
  return { tone: 'good', text: 'Active' };
}

/** Revoked and expired keys stay as they are. */
export const isUsable = ({ keyStatus, expiresAt }: Key, now: number): boolean =>
  keyStatus === 'active' && (expiresAt === null || expiresAt > now);

interface Choice {
  id: string;
  name: string;
  display: string;
}

/** Keys to choose from: of those that share a name, as after a rotation, each with how it begins and ends. */
export function keyChoices(keys: readonly Choice[]): { id: string; name: string }[] {
  const isShared = (name: string) => keys.filter((key) => key.name === name).length > 1;
  return keys.map(({ id, name, display }) => ({ id, name: isShared(name) ? `${name} (${display})` : name }));
}
