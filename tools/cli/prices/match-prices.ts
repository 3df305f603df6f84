import type { CatalogModel, PriceSheet } from '@tollgate/contracts';
import type { DocumentEntry } from './document-entry';
import type { DocumentFormat } from './document-formats';

/** A price document beside the catalog. `strangers` are `provider/model` of the document that the catalog does not have, `missing` ids of ours that it does not price. */
export interface MatchedPrices {
  prices: { model: string; prices: PriceSheet }[];
  strangers: string[];
  missing: string[];
  leftOut: { model: string; reason: string }[];
}

type PricedModel = Pick<CatalogModel, 'id' | 'provider' | 'prices' | 'deployments'>;

/**
 * Finds the catalog's models in a document, by the provider that a model belongs to and its name there. `provider` restricts both sides to one provider of
 * ours. Rates that a document cannot tell stay as they are: the price of a request where it names none, and of hour-long cache writes in a format without them.
 */
export function matchPrices(
  entries: readonly DocumentEntry[],
  format: DocumentFormat,
  models: readonly PricedModel[],
  provider: string | undefined,
): MatchedPrices {
  const wanted = models.filter((model) => provider === undefined || model.provider === provider);
  const index = indexed(entries, format);
  const matched: MatchedPrices = { prices: [], strangers: [], missing: [], leftOut: [] };
  const met = new Set<DocumentEntry>();
  for (const model of wanted) {
    const entry = matchedEntry(model, index, format);
    if (entry) met.add(entry);
    if (!entry) matched.missing.push(model.id);
    else if (entry.sheet === null) matched.leftOut.push({ model: model.id, reason: entry.reason });
    else matched.prices.push({ model: model.id, prices: completed(entry.sheet, model.prices, format) });
  }
  const ours = new Set(wanted.flatMap((model) => providerNames(model.provider, format)));
  const strange = [...new Set(index.values())].filter((entry) => ours.has(entry.provider) && !met.has(entry));
  matched.strangers = strange.map((entry) => `${entry.provider}/${withoutRoute(entry.model, format)}`).sort();
  return matched;
}

/** An entry of a document is found by these, as the document has them. */
type Named = Pick<DocumentEntry, 'provider' | 'model' | 'also'>;

/** By provider and name; the first entry of a name counts. */
export function indexed<Entry extends Named>(entries: readonly Entry[], format: DocumentFormat): Map<string, Entry> {
  const index = new Map<string, Entry>();
  for (const entry of entries)
    for (const model of [entry.model, ...(entry.also ?? [])]) {
      const name = `${entry.provider} ${withoutRoute(model, format)}`;
      if (!index.has(name)) index.set(name, entry);
    }
  return index;
}

/** The entry of a model of the catalog; undefined: the document has none. */
export function matchedEntry<Entry extends Named>(
  model: Pick<CatalogModel, 'provider' | 'deployments'>,
  index: ReadonlyMap<string, Entry>,
  format: DocumentFormat,
): Entry | undefined {
  return namesOf(model, format).flatMap((name) => index.get(name) ?? [])[0];
}

function namesOf(
  { provider, deployments }: Pick<CatalogModel, 'provider' | 'deployments'>,
  format: DocumentFormat,
): string[] {
  const upstream = deployments.filter((each) => each.provider === provider).map(({ upstreamModel }) => upstreamModel);
  return upstream.flatMap((name) => providerNames(provider, format).map((called) => `${called} ${name}`));
}

function providerNames(provider: string, format: DocumentFormat): readonly string[] {
  return format.providerNames[provider] ?? [provider];
}

/** A name without the route that a format may write before it. */
export function withoutRoute(model: string, { routes }: DocumentFormat): string {
  const slash = model.indexOf('/');
  return routes.includes(model.slice(0, Math.max(0, slash))) ? model.slice(slash + 1) : model;
}

function completed(sheet: PriceSheet, current: PriceSheet | null, { lacksHourWrites }: DocumentFormat): PriceSheet {
  const perRequest = sheet.perRequest ?? current?.perRequest ?? null;
  if (!lacksHourWrites) return { ...sheet, perRequest };
  const tiers = new Map(current?.longContext.map((tier) => [tier.aboveInputTokens, tier]));
  return {
    ...sheet,
    perRequest,
    cacheWrite1h: current?.cacheWrite1h ?? null,
    longContext: sheet.longContext.map((tier) => {
      return { ...tier, cacheWrite1h: tiers.get(tier.aboveInputTokens)?.cacheWrite1h ?? null };
    }),
  };
}
