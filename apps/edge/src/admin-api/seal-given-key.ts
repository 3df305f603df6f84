import { GatewayError } from '@tollgate/contracts';
import { mostOwnKeyCharacters, ownKeyOperations, takesNoOwnKeys } from '@tollgate/contracts/accounts';
import { liveProviderOperations, providerKey } from '@tollgate/contracts/catalog';
import { sealOwnKey, sealProviderKey } from '@tollgate/sealing';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard/dashboard-services';

const { provider, name, baseUrl } = liveProviderOperations.setKey.request.shape;
const given = z.object({ provider, name, key: z.string(), baseUrl: baseUrl.optional() });

/**
 * What catalog is asked in place of what was given: a key of a provider goes no further than this process
 * unless it is sealed. What holds none stays as it is.
 * @throws GatewayError what the sealing is refused with; 409 where the provider is not at the address that
 * was named.
 */
export async function withSealedKey<Asked extends object>(
  asked: Asked,
  services: DashboardServices,
): Promise<Omit<Asked, 'key'>> {
  const { data } = given.safeParse(asked);
  const { key: _, ...rest } = { key: undefined, ...asked };
  if (!data) return rest;
  const to = await services.ask(liveProviderOperations.sealingFor, { provider: data.provider });
  requireAddress(data, to.baseUrl);
  return { ...rest, ...sealProviderKey(data.provider, data.name, data.key, to) };
}

const { account } = ownKeyOperations.set.request.shape;
const ownKey = providerKey.max(mostOwnKeyCharacters);
const givenOwn = z.object({ account, provider, key: ownKey, baseUrl: baseUrl.optional() });

/**
 * The same of a key that an account brings.
 * @throws GatewayError 400 for what is no key, or a provider that takes none; 409 as above; 503 where nobody
 * could open one.
 */
export async function withSealedOwnKey<Asked extends object>(
  asked: Asked,
  services: DashboardServices,
): Promise<Omit<Asked, 'key'>> {
  const { key, ...rest } = { key: undefined, ...asked };
  if (key === undefined) return rest;
  const { data } = givenOwn.safeParse(asked);
  if (!data) {
    const most = mostOwnKeyCharacters.toLocaleString('en');
    throw new GatewayError(400, `key: must be visible ASCII characters without spaces, ${most} at the most.`);
  }
  const told = await services.ask(ownKeyOperations.list, { account: data.account });
  const taker = told.providers.find(({ id }) => id === data.provider);
  if (!taker) throw new GatewayError(400, takesNoOwnKeys(data.provider, told));
  if (!told.sealing) throw new GatewayError(503, 'No inference instance has a key-encryption key.', 60);
  requireAddress(data, taker.baseUrl);
  const to = { sealing: told.sealing, baseUrl: taker.baseUrl };
  return { ...rest, ...sealOwnKey(told.accountId, data.provider, data.key, to) };
}

/** @throws GatewayError 409. */
function requireAddress(given: { provider: string; baseUrl?: string | undefined }, here: string): void {
  if (given.baseUrl === undefined || given.baseUrl === here) return;
  throw new GatewayError(409, `${given.provider} is at ${here}, and not at ${given.baseUrl}. The key is not kept.`);
}
