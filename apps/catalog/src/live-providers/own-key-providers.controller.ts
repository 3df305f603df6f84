import { Controller } from '@nestjs/common';
import type { ServedBy } from '@tollgate/contracts';
import { ownKeyProviderOperations, takersOfOwnKeys, whyNoOwnKeys } from '@tollgate/contracts/accounts';
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
    return { sealing, opens, providers: takingOwnKeys(snapshot), declining: decliningOwnKeys(snapshot) };
  }
}

/** By their ids. What a provider needs that is of its operator's account stands in none of them. */
export function takingOwnKeys(
  snapshot: Parameters<typeof takersOfOwnKeys>[0] & { readonly reachable: readonly string[] },
): Served['list']['reply']['providers'] {
  return takersOfOwnKeys(snapshot)
    .map(({ id, name, baseUrl }) => ({ id, name, baseUrl, operated: snapshot.reachable.includes(id) }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** Providers that take none, and why. */
export function decliningOwnKeys(
  snapshot: Parameters<typeof takersOfOwnKeys>[0],
): NonNullable<Served['list']['reply']['declining']> {
  return snapshot.providers.flatMap((provider) => {
    const why = whyNoOwnKeys(provider, snapshot);
    return why === null ? [] : [{ id: provider.id, why }];
  });
}
