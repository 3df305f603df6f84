import type { CatalogModel, PriceSheet } from '@tollgate/contracts/catalog';
import type { DocumentEntry } from './document-entry';
import type { DocumentFormat } from './document-formats';

/**
 * A price document beside the catalog. `strangers` are `provider/model` of the document that the catalog does
 * not have, `missing` ids of ours that it does not price. `kept`: rates of a model that the document does not
 * tell, which stay as they are.
 */
export interface MatchedPrices {
  prices: { model: string; prices: PriceSheet }[];
  kept: { model: string; rates: string[] }[];
  strangers: string[];
  missing: string[];
  leftOut: { model: string; reason: string }[];
}

type PricedModel = Pick<CatalogModel, 'id' | 'provider' | 'prices' | 'deployments'>;

/**
 * Finds the catalog's models in a document, by the provider that a model belongs to and its name there.
 * `provider` restricts both sides to one provider of ours. Rates that a document does not tell stay as they
 * are.
 */
export function matchPrices(
  entries: readonly DocumentEntry[],
  format: DocumentFormat,
  models: readonly PricedModel[],
  provider: string | undefined,
): MatchedPrices {
  const wanted = models.filter((model) => provider === undefined || model.provider === provider);
  const index = indexed(entries, format);
  const matched: MatchedPrices = { prices: [], strangers: [], kept: [], missing: [], leftOut: [] };
  const met = new Set<DocumentEntry>();
  for (const model of wanted) {
    const entry = matchedEntry(model, index, format);
    if (entry) met.add(entry);
    if (!entry) matched.missing.push(model.id);
    else if (entry.sheet === null) matched.leftOut.push({ model: model.id, reason: entry.reason });
    else {
      const { sheet, kept } = keptRates(entry, model.prices);
      matched.prices.push({ model: model.id, prices: sheet });
      if (kept.length > 0) matched.kept.push({ model: model.id, rates: kept });
    }
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

const kinds = ['cachedInput', 'cacheWrite5m', 'cacheWrite1h', 'reasoning', 'audioInput', 'audioOutput'] as const;
type Kind = (typeof kinds)[number];
type Kinds = Pick<PriceSheet, Kind>;

/**
 * A document's prices of a model, with the rates of the catalog that the document does not tell: kinds of
 * tokens, the price of a request, and the steps by the size of a prompt where it has none at all.
 * A document that is silent says nothing of a rate, not that there is none any more. `kept`: those rates,
 * with their values.
 */
function keptRates(
  { sheet, tiers }: Extract<DocumentEntry, { reason: null }>,
  current: PriceSheet | null,
): { sheet: PriceSheet; kept: string[] } {
  const kept: string[] = [];
  const base = filled(sheet, (kind) => sheet[kind] !== null, current, '', kept);
  const steps = new Map(current?.longContext.map((step) => [step.aboveInputTokens, step]));
  const told = sheet.longContext.map((step) => {
    const size = step.aboveInputTokens;
    // Documents write 0 where they have no rate, too.
    const isTold = (kind: Kind): boolean => Boolean(tiers.get(size)?.[kind]);
    return filled(step, isTold, steps.get(size) ?? null, ` above ${size} tokens`, kept);
  });
  const longContext = told.length > 0 ? told : [...steps.values()];
  if (told.length === 0) kept.push(...longContext.map(({ aboveInputTokens: size }) => `all above ${size} tokens`));
  const perRequest = sheet.perRequest ?? current?.perRequest ?? null;
  if (sheet.perRequest === null && perRequest !== null) kept.push(`perRequest ${perRequest}`);
  return { sheet: { ...base, perRequest, longContext }, kept };
}

/** Rates with those of the catalog in the place of what is not told. */
function filled<Rates extends Kinds>(
  rates: Rates,
  isTold: (kind: Kind) => boolean,
  current: Kinds | null,
  step: string,
  kept: string[],
): Rates {
  const silent = kinds.flatMap((kind) => {
    const rate = current?.[kind] ?? null;
    return rate === null || isTold(kind) ? [] : [[kind, rate] as const];
  });
  kept.push(...silent.map(([kind, rate]) => `${kind} ${rate}${step}`));
  return { ...rates, ...Object.fromEntries(silent) };
}
