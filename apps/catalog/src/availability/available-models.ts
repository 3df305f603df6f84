import type { CatalogModel } from '@tollgate/contracts';
import type { Reach } from './inference-presence';

/** The ids of the models that can be generated now: those with a deployment at a provider within reach, a real or a simulated one. */
export function availableModels(models: readonly CatalogModel[], { providers }: Pick<Reach, 'providers'>): string[] {
  return models
    .filter(({ deployments }) => deployments.some(({ provider }) => providers.has(provider)))
    .map(({ id }) => id);
}
