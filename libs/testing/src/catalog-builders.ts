import { catalogModel } from '@tollgate/contracts/catalog';
import type { CatalogModel, CatalogSnapshot } from '@tollgate/contracts/catalog';
import type { z } from 'zod';

type ModelInput = z.input<typeof catalogModel>;
type Told = Partial<Omit<ModelInput, 'capabilities'>> & { capabilities?: Partial<ModelInput['capabilities']> };

/**
 * A model of which no more is known than what is told: it takes and gives text, and calls tools.
 * Its provider is what its id begins with, and it has one place, there.
 */
export function aModel({ capabilities, ...told }: Told = {}): CatalogModel {
  const id = told.id ?? 'acme/one';
  const provider = told.provider ?? id.split('/')[0] ?? '';
  return catalogModel.parse({
    ...{ id, name: id, provider, created: 0, status: 'active', contextWindow: null, maxOutputTokens: null },
    ...{ inputModalities: ['text'], outputModalities: ['text'], prices: null, aliases: [], fallbacks: [] },
    deployments: [{ id: `${id}@${provider}`, provider, upstreamModel: id }],
    ...told,
    capabilities: {
      ...{ streaming: true, tools: true, vision: false, reasoning: false, structuredOutput: true, temperature: true },
      ...capabilities,
    },
  });
}

/** A catalog in which every model is live unless told otherwise, and nothing else is set. */
export function aSnapshot({ models = [], ...told }: Partial<CatalogSnapshot> = {}): CatalogSnapshot {
  return {
    ...{ revision: 1, sandbox: false, providers: [], available: models.map(({ id }) => id), disabled: [], held: [] },
    ...{ retiredNames: [], reachable: [], factsAsOf: null, pricesOldAfterDays: 90, guardrails: [], contentLog: null },
    models,
    ...told,
  };
}
