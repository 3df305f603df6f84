import type { CallerKey } from '@tollgate/contracts/accounts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { GenerationFailure } from '@tollgate/contracts/inference';
import { hash } from 'node:crypto';
import type { ModelCatalog } from '../catalog/model-catalog';
import type { RequestContext } from '../http/request-context';

/** Says what became of the keys of its account with which a request went before it fell back. */
const ownKeyHeader = 'x-tollgate-own-key';

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

/**
 * Whether a request that goes with these keys of its account may go on with the operator's where they are
 * refused: the account chose that of each of them that is of a provider of the model itself.
 */
export function mayFallBack(
  { ownKeysFallBack = [] }: Pick<CallerKey, 'ownKeysFallBack'>,
  ownKeys: Readonly<Record<string, string>> | null,
  { deployments }: Pick<CatalogModel, 'deployments'>,
): boolean {
  if (!ownKeys) return false;
  const own = deployments.filter(({ provider }) => Object.hasOwn(ownKeys, provider));
  return own.length > 0 && own.every(({ provider }) => ownKeysFallBack.includes(provider));
}

/** What keys of its account met at their providers; null: the request failed for something else. */
export function ownKeyRefusalOf({ details }: Pick<GenerationFailure, 'details'>): 'refused' | 'limited' | null {
  if (details?.reason === 'own_key_refused') return 'refused';
  return details?.reason === 'own_key_limited' ? 'limited' : null;
}

/** Tells a caller what its account's keys met, whatever becomes of the request without them. */
export function tellOwnKeyRefusal(failure: GenerationFailure, context: Pick<RequestContext, 'tell'>): void {
  context.tell({ [ownKeyHeader]: ownKeyRefusalOf(failure) ?? 'refused' });
}

/** Warns a caller whose request goes on without them. */
export function warnOfFallBack(failure: GenerationFailure, context: Pick<RequestContext, 'warn'>): void {
  const refusal = ownKeyRefusalOf(failure) ?? 'refused';
  context.warn(`own key ${refusal}: the request goes on with the gateway's key, at its prices`);
}

/**
 * The id of the usage event of a request that fell back, from that of its try with own keys: the same
 * whenever a response in the background is made again, so that it is charged once.
 */
export function eventIdOfFallBack(eventId: string): string {
  const random = hash('sha256', `${eventId} with the operator's keys`, 'hex');
  // The time, version and variant stay: events lie by the time in their ids.
  return `${eventId.slice(0, 15)}${random.slice(0, 3)}-${eventId.charAt(19)}${random.slice(3, 6)}-${random.slice(6, 18)}`;
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
