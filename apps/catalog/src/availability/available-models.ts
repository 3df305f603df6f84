import { isRetired, type CatalogModel } from '@tollgate/contracts';
import type { Reach } from './inference-presence';

/**
 * The ids of the models that can be generated at `now` (epoch milliseconds): those with a deployment at a
 * provider within reach, a real or a simulated one; never one that its provider has retired.
 */
export function availableModels(
  models: readonly CatalogModel[],
  { providers }: Pick<Reach, 'providers'>,
  now: number,
): string[] {
  return models
    .filter(({ retirement }) => !isRetired(retirement, now))
    .filter(({ deployments }) => deployments.some(({ provider }) => providers.has(provider)))
    .map(({ id }) => id);
}
