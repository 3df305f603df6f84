import { SealedElsewhere, sealerOf } from '@tollgate/dialects';
import type { PooledKey, ProviderEndpoint } from './provider-endpoint';

/**
 * What `make` makes for this key; where the conversation was compacted with another one of the provider's,
 * which alone can read it, for that one. `refused`: keys that are not asked any more.
 * @throws what `make` throws.
 */
export function withReadingKey<Made>(
  { provider, pool }: ProviderEndpoint,
  key: PooledKey | null,
  refused: ReadonlySet<PooledKey>,
  make: (key: PooledKey | null) => Made,
): Made {
  try {
    return make(key);
  } catch (error) {
    if (!(error instanceof SealedElsewhere)) throw error;
    const reading = pool.find((each) => !refused.has(each) && sealerOf({ provider, ...each }) === error.sealer);
    if (!reading) throw error;
    return make(reading);
  }
}
