import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { DocumentEntry } from '../prices/document-entry';
import type { DocumentFormat } from '../prices/document-formats';
import { withoutRoute } from '../prices/match-prices';
import type { DocumentFacts } from './document-facts';

/** A model that a document has and the catalog has not, as an entry of tollgate.yaml. */
export interface NewModel extends Pick<DocumentFacts, 'contextWindow' | 'maxOutputTokens' | 'inputModalities'> {
  id: string;
  provider: string;
  upstreamModel: string;
  capabilities?: Pick<DocumentFacts, 'tools' | 'reasoning' | 'structuredOutput'>;
  prices: NonNullable<DocumentEntry['sheet']>;
}

/** What no public id has. */
const strange = /[^\w.:@/-]+/g;

/**
 * The models of a document that the catalog lacks, of providers that it knows, `strangers` naming them as the
 * document does. A price comes with each; `facts` tell the rest, and leave out what the document calls
 * deprecated or what does not take text.
 */
export function newModels(
  strangers: readonly string[],
  entries: readonly DocumentEntry[],
  facts: readonly DocumentFacts[],
  models: readonly Pick<CatalogModel, 'provider'>[],
  format: DocumentFormat,
): NewModel[] {
  const known = new Map(entries.map((entry) => [`${entry.provider}/${withoutRoute(entry.model, format)}`, entry]));
  const told = new Map(facts.map((each) => [`${each.provider}/${withoutRoute(each.model, format)}`, each]));
  const ours = new Map(
    [...new Set(models.map(({ provider }) => provider))].flatMap((id) =>
      (format.providerNames[id] ?? [id]).map((name) => [name, id] as const),
    ),
  );
  return strangers.flatMap((name) => {
    const entry = known.get(name);
    const provider = entry && ours.get(entry.provider);
    if (!provider || !entry.sheet) return [];
    const fact = told.get(name);
    if (fact?.isDeprecated || fact?.inputModalities?.includes('text') === false) return [];
    const upstreamModel = withoutRoute(entry.model, format);
    return [{ ...factsOf(fact), id: publicId(provider, upstreamModel), provider, upstreamModel, prices: entry.sheet }];
  });
}

function factsOf(fact: DocumentFacts | undefined): Omit<NewModel, 'id' | 'provider' | 'upstreamModel' | 'prices'> {
  if (!fact) return {};
  const { provider: _p, model: _m, isDeprecated: _d, tools, reasoning, structuredOutput, ...rest } = fact;
  const capabilities = {
    ...(tools !== undefined && { tools }),
    ...(reasoning !== undefined && { reasoning }),
    ...(structuredOutput !== undefined && { structuredOutput }),
  };
  return { ...rest, capabilities };
}

/** The last part of a name behind our name of its provider, as the seed does it. */
function publicId(provider: string, upstreamModel: string): string {
  return `${provider}/${upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1).replace(strange, '-')}`;
}
