import { priceSheet } from '@tollgate/contracts/catalog';
import type { CatalogModel, PriceSheet } from '@tollgate/contracts/catalog';
import type { Queries } from '@tollgate/database';
import { z } from 'zod';
import { newestDay } from '../effective/effective-catalog';
import type { EffectiveCatalog, PricedModel } from '../effective/effective-catalog';
import { withPublishedTerms } from './published-terms';
import { rateChanges } from './rate-changes';
import { withStandingPrices, type StandingPrices } from './set-prices';
import type { PriceSchedule } from './sheet-at';

/**
 * A price that an operator imported, the document it comes from, and when. `confirms`: it says what the
 * catalog itself said, whose price goes on, taken from its source on a later day.
 */
interface ImportedPrice {
  prices: PriceSheet;
  source: string;
  importedAt: Date;
  confirms: boolean;
}

/** As it is stored: releases that know no confirmations take one for an import of the same price. */
const keptSheet = priceSheet.extend({ confirms: z.boolean().default(false) });

/** By model id. */
export type ImportedPrices = ReadonlyMap<string, ImportedPrice>;

/** What of a catalog prices depend on. */
export type PriceOrigins = Pick<EffectiveCatalog, 'priced' | 'operatorPriced'> & {
  models: readonly Pick<CatalogModel, 'id'>[];
};

/** A catalog at the prices in force. */
export type CatalogInForce = Omit<EffectiveCatalog, 'priced'> & { priced: PriceSchedule[] };

/**
 * The prices in force: one that was set takes the place of an imported one, that one of the seed's, and one
 * in the operator's file wins over all. A price that was set holds whether the catalog has its model or not.
 * An import of a model that the catalog does not have (any more) waits until it does; a confirmation holds
 * for as long as the catalog says the same. Each comes with what its provider prints beside the rates.
 */
export function pricesInForce(
  origins: PriceOrigins,
  imported: ImportedPrices,
  standing: StandingPrices = new Map(),
): PriceSchedule[] {
  const otherwise = new Map(pricesOtherwise(origins, imported).map((each) => [each.model, each]));
  const set = [...standing.keys()].filter((model) => !origins.operatorPriced.has(model));
  const models = new Set([...otherwise.keys(), ...set]);
  return [...models].flatMap((model): PriceSchedule[] => {
    const base = otherwise.get(model);
    const own = origins.operatorPriced.has(model) ? [] : (standing.get(model) ?? []);
    if (own.length > 0) return [withStandingPrices(model, base, own)];
    return base ? [base] : [];
  });
}

/** What models would cost had no administrator set anything. */
export function pricesOtherwise(
  { models, priced, operatorPriced }: PriceOrigins,
  imported: ImportedPrices,
): PricedModel[] {
  const known = new Map(priced.map((each) => [each.model, each]));
  return models.flatMap(({ id }) => {
    const own = known.get(id);
    const other = operatorPriced.has(id) ? undefined : imported.get(id);
    if (other && !other.confirms)
      return [withPublishedTerms({ model: id, prices: other.prices, source: other.source, day: dayOf(other) })];
    if (!own) return [];
    return [
      withPublishedTerms(other && says(own, other.prices) ? { ...own, day: newestDay([own.day, dayOf(other)]) } : own),
    ];
  });
}

/**
 * The catalog at the prices in force, with what providers print beside the rates: so it is told to others,
 * too, who show the hours and reckon with tiers and fees.
 * Of imported prices nothing is unconfirmed, and nothing announced changes them.
 */
export function withPricesInForce(
  catalog: EffectiveCatalog,
  imported: ImportedPrices,
  standing: StandingPrices = new Map(),
): CatalogInForce {
  const isImported = ({ id }: CatalogModel) => imported.get(id)?.confirms === false && !catalog.operatorPriced.has(id);
  const days = [...imported.values()].map(dayOf);
  return {
    ...catalog,
    factsAsOf: newestDay([catalog.factsAsOf, ...days]),
    priced: pricesInForce(catalog, imported, standing),
    models: catalog.models.map((model) => (isImported(model) ? { ...model, priceUnconfirmed: false } : model)),
  };
}

/** Whether one of the sheets of a model, now or announced, has these rates. */
function says({ model, prices, changes = [] }: PricedModel, sheet: PriceSheet): boolean {
  return [prices, ...changes.map((change) => change.prices)].some((one) => rateChanges(model, one, sheet).length === 0);
}

function dayOf({ importedAt }: ImportedPrice): string {
  return importedAt.toISOString().slice(0, 10);
}

/** Every import that holds. */
export async function readImportedPrices(queries: Pick<Queries<'catalog'>, 'importedPrice'>): Promise<ImportedPrices> {
  const rows = await queries.importedPrice.findMany();
  return new Map(
    rows.map(({ model, prices: kept, source, importedAt }) => {
      const { confirms, ...prices } = keptSheet.parse(kept);
      return [model, { prices, source, importedAt, confirms }];
    }),
  );
}
