import { priceSheet } from '@tollgate/contracts';
import type { CatalogModel, PriceSheet } from '@tollgate/contracts';
import type { Queries } from '@tollgate/database';
import { newestDay } from '../effective/effective-catalog';
import type { EffectiveCatalog, PricedModel } from '../effective/effective-catalog';
import { withPublishedTerms } from './published-terms';

/** A price that an operator imported, the document it comes from, and when. */
interface ImportedPrice {
  prices: PriceSheet;
  source: string;
  importedAt: Date;
}

/** By model id. */
export type ImportedPrices = ReadonlyMap<string, ImportedPrice>;

/** What of a catalog prices depend on. */
export type PriceOrigins = Pick<EffectiveCatalog, 'priced' | 'operatorPriced'> & {
  models: readonly Pick<CatalogModel, 'id'>[];
};

/**
 * The prices in force: an imported one takes the place of the seed's, one in the operator's file wins over
 * both. An import of a model that the catalog does not have (any more) waits until it does. Each comes with
 * what its provider prints beside the rates.
 */
export function pricesInForce(
  { models, priced, operatorPriced }: PriceOrigins,
  imported: ImportedPrices,
): PricedModel[] {
  const known = new Map(priced.map((each) => [each.model, each]));
  return models.flatMap(({ id }) => {
    const own = known.get(id);
    const other = operatorPriced.has(id) ? undefined : imported.get(id);
    if (other)
      return [withPublishedTerms({ model: id, prices: other.prices, source: other.source, day: dayOf(other) })];
    return own ? [withPublishedTerms(own)] : [];
  });
}

/**
 * The catalog at the prices in force, with what providers print beside the rates: so it is told to others,
 * too, who show the hours and reckon with tiers and fees.
 * Of imported prices nothing is unconfirmed, and nothing announced changes them.
 */
export function withPricesInForce(catalog: EffectiveCatalog, imported: ImportedPrices): EffectiveCatalog {
  const isImported = ({ id }: CatalogModel) => imported.has(id) && !catalog.operatorPriced.has(id);
  const days = [...imported.values()].map(dayOf);
  return {
    ...catalog,
    factsAsOf: newestDay([catalog.factsAsOf, ...days]),
    priced: pricesInForce(catalog, imported),
    models: catalog.models.map((model) => (isImported(model) ? { ...model, priceUnconfirmed: false } : model)),
  };
}

function dayOf({ importedAt }: ImportedPrice): string {
  return importedAt.toISOString().slice(0, 10);
}

/** Every import that holds. */
export async function readImportedPrices(queries: Pick<Queries<'catalog'>, 'importedPrice'>): Promise<ImportedPrices> {
  const rows = await queries.importedPrice.findMany();
  return new Map(
    rows.map(({ model, prices, source, importedAt }) => [
      model,
      { prices: priceSheet.parse(prices), source, importedAt },
    ]),
  );
}
