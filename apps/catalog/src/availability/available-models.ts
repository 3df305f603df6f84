import type { CatalogModel } from '@tollgate/contracts';
import type { Reach } from './inference-presence';

/** The ids of the models that can be generated now: every one in the sandbox, else those with a deployment at a provider within reach. */
export function availableModels(models: readonly CatalogModel[], { sandbox, providers }: Reach): string[] {
  return models
    .filter(({ deployments }) => sandbox || deployments.some(({ provider }) => providers.has(provider)))
    .map(({ id }) => id);
}
