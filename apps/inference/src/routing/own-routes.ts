import type { GenerationRequest } from '@tollgate/contracts';
import type { OwnKeys } from '../credentials/own-keys';
import { withOwnKey } from '../upstream/provider-endpoint';
import type { Route } from './route-table';

/** `unusable`: the name of a provider whose key cannot be opened; null: all can. */
interface OwnRoutes {
  routes: readonly Route[];
  unusable: string | null;
}

/**
 * Those of these routes that a request goes to which brings keys of its account: at their providers alone,
 * and with these keys. No other may be asked in their place, since the operator would pay.
 */
export function ownRoutes(
  { accountId, ownKeys = {} }: Pick<GenerationRequest, 'accountId' | 'ownKeys'>,
  routes: readonly Route[],
  keys: Pick<OwnKeys, 'open'>,
): OwnRoutes {
  let unusable: string | null = null;
  const own = routes.flatMap((route) => {
    const { provider, simulated } = route.endpoint;
    const sealed = Object.hasOwn(ownKeys, provider.id) ? ownKeys[provider.id] : undefined;
    // No secret goes to a simulated provider, nor to one that was closed to own keys after it was brought.
    if (sealed === undefined || simulated || !provider.ownKeys) return [];
    const key = keys.open(accountId, provider, sealed);
    if (!key) {
      unusable ??= provider.name;
      return [];
    }
    const elsewhere = route.elsewhere.map((way) => ({ ...way, endpoint: withOwnKey(way.endpoint, key) }));
    return [{ ...route, endpoint: withOwnKey(route.endpoint, key), elsewhere }];
  });
  return { routes: own, unusable };
}
