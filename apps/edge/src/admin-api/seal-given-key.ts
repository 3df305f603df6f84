import { GatewayError, liveProviderOperations } from '@tollgate/contracts';
import { sealProviderKey } from '@tollgate/sealing';
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
  if (data.baseUrl !== undefined && data.baseUrl !== to.baseUrl)
    throw new GatewayError(
      409,
      `${data.provider} is at ${to.baseUrl}, and not at ${data.baseUrl}. The key is not kept.`,
    );
  return { ...rest, ...sealProviderKey(data.provider, data.name, data.key, to) };
}
