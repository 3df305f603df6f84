import { z } from 'zod';
import { takersOfOwnKeys } from '@tollgate/contracts/accounts';
import {
  hasOldPrices,
  isRetired,
  priceHours,
  retirement,
  simulatedModels,
  type CatalogModel,
  type CatalogSnapshot,
  type PriceSheet,
} from '@tollgate/contracts/catalog';
import { route } from '../route';

const usdPerMillion = z.string().nullable().describe('US dollars per million tokens, a decimal string');

const rates = z.object({
  input: usdPerMillion,
  output: usdPerMillion,
  cachedInput: usdPerMillion,
  cacheWrite: usdPerMillion,
});

/** A model as pages show it. `pricing` null: the price is not known. */
export const listedModel = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  providerName: z.string(),
  kind: z.enum(['text', 'embedding', 'rerank']),
  status: z.enum(['active', 'preview', 'deprecated']),
  contextWindow: z.number().int().nullable(),
  maxOutputTokens: z.number().int().nullable(),
  inputModalities: z.array(z.string()),
  outputModalities: z.array(z.string()),
  capabilities: z.object({
    streaming: z.boolean(),
    tools: z.boolean(),
    vision: z.boolean(),
    reasoning: z.boolean(),
    structuredOutput: z.boolean(),
  }),
  pricing: z
    .object({
      ...rates.shape,
      longContext: z
        .array(rates.extend({ aboveInputTokens: z.number().int() }))
        .describe('Rates of the whole request where its input is larger'),
      served: z
        .array(
          z.object({
            on: z.enum(['tier', 'speed', 'region']),
            value: z.string(),
            factor: z.string().nullable().describe('What every rate is multiplied by; null: it has rates of its own'),
            rates: rates.nullable(),
          }),
        )
        .describe('Rates of requests that are served in another way than usual'),
      hours: z.array(priceHours).describe('Hours at which every rate is multiplied by a factor'),
      unconfirmed: z.boolean().describe('It may be another: sources disagree, or it has parts that are not told here'),
      asOf: z.iso
        .date()
        .nullable()
        .describe('When it was taken from its source; null: not known, or an operator set it'),
      old: z.boolean().describe('It was taken too long ago to be trusted'),
    })
    .nullable(),
  retirement: retirement.nullable().describe('How it ends; null: no end is known'),
  available: z.boolean().describe('A provider of it can be reached'),
  availableWithKeyOf: z
    .array(z.string())
    .optional()
    .describe('Providers that it is available at for who brings a key of theirs alone; absent: none'),
  simulated: z.boolean().describe('The sandbox answers in place of its provider'),
});
type ListedModel = z.infer<typeof listedModel>;

/** Makes the entries of a snapshot's models. */
export function toListedModels(snapshot: CatalogSnapshot): ListedModel[] {
  const names = new Map(snapshot.providers.map(({ id, name }) => [id, name]));
  const live = new Set(snapshot.available);
  const simulated = simulatedModels(snapshot);
  const takers = new Set(takersOfOwnKeys(snapshot).map(({ id }) => id));
  const off = new Set(snapshot.disabled);
  const now = Date.now();
  return snapshot.models.map((model) => ({
    ...toListedModel(model, snapshot),
    providerName: names.get(model.provider) ?? model.provider,
    available: live.has(model.id),
    ...(!live.has(model.id) && !off.has(model.id) && !isRetired(model.retirement, now) && atTakers(model, takers)),
    simulated: simulated.has(model.id),
  }));
}

function atTakers(
  { deployments }: CatalogModel,
  takers: ReadonlySet<string>,
): Pick<ListedModel, 'availableWithKeyOf'> | null {
  const providers = new Set(deployments.map(({ provider }) => provider).filter((id) => takers.has(id)));
  return providers.size > 0 ? { availableWithKeyOf: [...providers] } : null;
}

const toRates = ({ input, output, cachedInput, cacheWrite5m }: GivenRates): z.infer<typeof rates> => ({
  ...{ input, output, cachedInput, cacheWrite: cacheWrite5m },
});
type GivenRates = Pick<PriceSheet, 'input' | 'output' | 'cachedInput' | 'cacheWrite5m'>;

function toListedModel(
  model: CatalogModel,
  { pricesOldAfterDays }: CatalogSnapshot,
): Omit<ListedModel, 'providerName' | 'available' | 'availableWithKeyOf' | 'simulated'> {
  const { temperature: _, ...capabilities } = model.capabilities;
  const { prices } = model;
  return {
    id: model.id,
    name: model.name,
    provider: model.provider,
    kind: model.kind === 'generation' ? 'text' : model.kind,
    status: model.status,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxOutputTokens,
    inputModalities: model.inputModalities,
    outputModalities: model.outputModalities,
    capabilities,
    pricing: prices && {
      ...toRates(prices),
      longContext: prices.longContext.map((above) => ({
        ...toRates(above),
        aboveInputTokens: above.aboveInputTokens,
      })),
      served: (prices.terms?.served ?? []).map(({ on, value, factor, rates: own }) => ({
        ...{ on, value, factor: factor ?? null },
        rates: own ? toRates(own) : null,
      })),
      hours: prices.terms?.hours ?? [],
      unconfirmed: model.priceUnconfirmed,
      asOf: model.pricesAsOf ?? null,
      old: hasOldPrices(model, pricesOldAfterDays, Date.now()),
    },
    retirement: model.retirement,
  };
}

/** The models, for everybody. */
export const catalogRoutes = [
  route({
    method: 'GET',
    path: '/api/catalog',
    access: 'anyone',
    summary: 'Every model of the catalog, and whether it is live',
    answer: z.object({ models: z.array(listedModel), sandbox: z.boolean() }),
    handle: async (_asked, { catalog }) => ({ models: toListedModels(catalog.snapshot()), sandbox: catalog.isSandbox }),
  }),
];
