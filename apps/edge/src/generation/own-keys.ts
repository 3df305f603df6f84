import type { CallerKey, CatalogModel } from '@tollgate/contracts';
import type { ModelCatalog } from '../catalog/model-catalog';

/**
 * Keys that the account of a caller brought and with which a request goes, sealed, by provider: where the
 * model that is asked for is at the provider of one. With them are those of its fallbacks' providers. Null:
 * it goes with the operator's keys, also to fallbacks. `places`: the model, and what may answer for it.
 */
export function ownKeysFor(
  { ownKeys }: Pick<CallerKey, 'ownKeys'>,
  places: () => readonly CatalogModel[],
): Record<string, string> | null {
  if (!ownKeys) return null;
  const [model, ...fallbacks] = places();
  const of = ({ deployments = [] }: Partial<CatalogModel> = {}) =>
    deployments.flatMap(({ provider }): [string, string][] => {
      const sealed = Object.hasOwn(ownKeys, provider) ? ownKeys[provider] : undefined;
      return sealed === undefined ? [] : [[provider, sealed]];
    });
  const own = of(model);
  return own.length === 0 ? null : Object.fromEntries([...own, ...fallbacks.flatMap(of)]);
}

/** Every model that a request of this key for `model` may be answered by, with the keys with which it goes. */
export function placesFor(
  key: Pick<CallerKey, 'ownKeys'>,
  model: CatalogModel,
  catalog: Pick<ModelCatalog, 'placesOf'>,
): CatalogModel[] {
  const ownKeys = ownKeysFor(key, () => catalog.placesOf(model, key.ownKeys));
  return catalog.placesOf(model, ownKeys ?? undefined);
}
