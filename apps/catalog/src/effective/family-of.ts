import type { CatalogModel } from '@tollgate/contracts';
import { bareName } from './resolve-model';

/** What a new model has in common with its family until more is known of it. */
export type FamilyFacts = Pick<
  CatalogModel,
  'kind' | 'contextWindow' | 'maxOutputTokens' | 'inputModalities' | 'capabilities' | 'reasoningEfforts'
>;

/** Two names are of one family when so many letters of their beginnings are the same, at least. */
const leastShared = 4;

/**
 * What is known of the nearest relative that a provider offers under another name: of those whose names begin
 * alike for longest, the newest that is not to end. Null: nobody's name begins like it.
 */
export function familyOf(provider: string, name: string, models: readonly CatalogModel[]): FamilyFacts | null {
  const relatives = models
    .filter((model) => model.provider === provider && model.status !== 'deprecated')
    .map((model) => ({ model, shared: sharedBeginning(name, bareName(model.id, provider)) }))
    .filter(({ shared }) => shared >= leastShared)
    .toSorted((a, b) => b.shared - a.shared || b.model.created - a.model.created);
  const [nearest] = relatives;
  if (!nearest) return null;
  const { kind, contextWindow, maxOutputTokens, inputModalities, capabilities, reasoningEfforts } = nearest.model;
  return {
    kind,
    contextWindow,
    maxOutputTokens,
    inputModalities,
    capabilities,
    ...(reasoningEfforts && { reasoningEfforts }),
  };
}

function sharedBeginning(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
