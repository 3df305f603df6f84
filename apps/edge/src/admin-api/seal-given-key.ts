import { liveProviderOperations } from '@tollgate/contracts';
import { sealProviderKey } from '@tollgate/sealing';
import { z } from 'zod';
import type { DashboardServices } from '../dashboard/dashboard-services';

const { provider, name } = liveProviderOperations.setKey.request.shape;
const given = z.object({ provider, name, key: z.string() });

/**
 * What catalog is asked in place of what was given: a key of a provider goes no further than this process
 * unless it is sealed. What holds none stays as it is.
 * @throws GatewayError what the sealing is refused with.
 */
export async function withSealedKey<Asked extends object>(
  asked: Asked,
  services: DashboardServices,
): Promise<Omit<Asked, 'key'>> {
  const read = given.safeParse(asked);
  const { key: _, ...rest } = { key: undefined, ...asked };
  if (!read.success) return rest;
  const to = await services.ask(liveProviderOperations.sealingFor, { provider: read.data.provider });
  return { ...rest, ...sealProviderKey(read.data.provider, read.data.name, read.data.key, to) };
}
