import { Controller } from '@nestjs/common';
import {
  isSimulated,
  ownKeyProviderOperations,
  type CatalogSnapshot,
  type ProviderDefinition,
  type ServedBy,
} from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { LiveCatalog } from '../live-catalog';

type Served = ServedBy<typeof ownKeyProviderOperations>;

/** Tells which providers take keys that accounts bring. */
@Controller()
export class OwnKeyProvidersController {
  constructor(private readonly catalog: LiveCatalog) {}

  @Serve(ownKeyProviderOperations.list)
  list(_asked: Served['list']['request']): Served['list']['reply'] {
    const { snapshot, sealing, opens } = this.catalog;
    return { sealing, opens, providers: takingOwnKeys(snapshot) };
  }
}

/** By their ids. What a provider needs that is of its operator's account stands in none of them. */
export function takingOwnKeys(
  snapshot: Pick<CatalogSnapshot, 'providers' | 'reachable' | 'sandbox'>,
): Served['list']['reply']['providers'] {
  const reachable = new Set(snapshot.reachable);
  return snapshot.providers
    .filter((provider) => reachable.has(provider.id) && !isSimulated(provider, snapshot) && takesOwnKeys(provider))
    .map(({ id, name, baseUrl }) => ({ id, name, baseUrl }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Servers whose requests wait are of one's own: there is nothing that an account could pay there. */
function takesOwnKeys({ authentication, apiKeyEnv, sealedKeys, placeholders, queues }: ProviderDefinition): boolean {
  const needsKey = apiKeyEnv.length > 0 || sealedKeys !== null;
  const isOfOperator = Object.values(placeholders).some((placeholder) => placeholder.default === null);
  return needsKey && authentication !== 'google' && !isOfOperator && !queues;
}
