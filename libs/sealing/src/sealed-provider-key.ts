import { aboutOwnKey } from '@tollgate/contracts/accounts';
import { aboutProviderKey, type SealingKey } from '@tollgate/contracts/catalog';
import { sealFor } from './sealed-box';

/** Of a shorter key four characters would tell too much. */
const shortestShown = 12;

/** What becomes of a key before it leaves the process that was given it. `lastFour` null: it is too short. */
interface SealedProviderKey {
  baseUrl: string;
  sealed: string;
  lastFour: string | null;
}

/**
 * Seals a key of a provider for inference. `to`: what catalog tells of the provider.
 * @throws Error when that is no sealing key.
 */
export function sealProviderKey(
  provider: string,
  name: string,
  key: string,
  to: { sealing: SealingKey; baseUrl: string },
): SealedProviderKey {
  return sealedKey(key, to, aboutProviderKey(provider, name, to.baseUrl));
}

/**
 * Seals a key that an account brings of a provider for inference. `to`: what accounts tells of both.
 * @throws Error when that is no sealing key.
 */
export function sealOwnKey(
  accountId: string,
  provider: string,
  key: string,
  to: { sealing: SealingKey; baseUrl: string },
): SealedProviderKey {
  return sealedKey(key, to, aboutOwnKey(accountId, provider, to.baseUrl));
}

function sealedKey(
  key: string,
  { sealing, baseUrl }: { sealing: SealingKey; baseUrl: string },
  about: string,
): SealedProviderKey {
  const sealed = sealFor(sealing, key, about);
  return { baseUrl, sealed, lastFour: key.length < shortestShown ? null : key.slice(-4) };
}
