import { aboutProviderKey, type SealingKey } from '@tollgate/contracts';
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
  const { sealing, baseUrl } = to;
  const sealed = sealFor(sealing, key, aboutProviderKey(provider, name, baseUrl));
  return { baseUrl, sealed, lastFour: key.length < shortestShown ? null : key.slice(-4) };
}
