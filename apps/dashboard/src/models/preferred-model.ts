import { isModelAllowed } from '@tollgate/contracts/catalog';
import type { ListedModel } from '../api/catalog';
import type { OwnKey } from '../api/keys';

/** Small, cheap and known: what the examples ask, too. */
export const usualModel = 'openai/gpt-5.4-mini';

/**
 * The model to begin with: the last that was asked, else the usual one, else the cheapest that is in service
 * and calls tools; one that really answers rather than a simulated one. Null: there is none to talk to.
 */
export function preferredModel(models: readonly ListedModel[], last = ''): string | null {
  const answering = models.filter(({ available, kind }) => available && kind === 'text');
  const found = answering.find(({ id }) => id === last) ?? answering.toSorted(byPreference)[0];
  return found?.id ?? null;
}

/** Those that a key can ask now, also where that takes a key of the provider, which its account brought. */
export function availableTo(
  { ownKeyProviders = [] }: Pick<OwnKey, 'ownKeyProviders'>,
  models: readonly ListedModel[],
): ListedModel[] {
  return asAskedWith([{ ownKeyProviders }], models).filter(({ available }) => available);
}

/** All models, of which those are available that one of these keys at least can ask. */
export function asAskedWith(
  keys: readonly Pick<OwnKey, 'ownKeyProviders'>[],
  models: readonly ListedModel[],
): ListedModel[] {
  const brought = new Set(keys.flatMap(({ ownKeyProviders = [] }) => ownKeyProviders));
  return models.map((model) => {
    const { available, availableWithKeyOf: takers = [] } = model;
    return { ...model, available: available || takers.some((id) => brought.has(id)) };
  });
}

/** What the examples of a key ask, which may have patterns of models that it is for. */
export function exampleModel(models: readonly ListedModel[], patterns: readonly string[]): string {
  const named = patterns.find((pattern) => !pattern.includes('*'));
  return preferredModel(models.filter(({ id }) => isModelAllowed(patterns, id))) ?? named ?? usualModel;
}

function byPreference(one: ListedModel, other: ListedModel): number {
  const [ranks, others] = [ranksOf(one), ranksOf(other)];
  const differs = ranks.findIndex((rank, place) => rank !== others[place]);
  return differs < 0 ? 0 : (ranks[differs] ?? 0) - (others[differs] ?? 0);
}

/** The weightiest first; less is better. */
const ranksOf = (model: ListedModel): number[] => [
  Number(model.simulated),
  Number(model.id !== usualModel),
  Number(model.status !== 'active'),
  Number(!model.capabilities['tools']),
  costOf(model),
];

/** What is given away is often limited, and an unknown price is none. */
function costOf({ pricing }: ListedModel): number {
  const cost = pricing ? Number(pricing.input ?? 0) + Number(pricing.output ?? 0) : 0;
  return cost > 0 ? cost : Number.MAX_VALUE;
}
