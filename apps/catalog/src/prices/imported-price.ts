import { priceSheet } from '@tollgate/contracts';
import type { CatalogModel, PriceSheet } from '@tollgate/contracts';
import type { Queries } from '@tollgate/database';
import type { EffectiveCatalog, PricedModel } from '../effective/effective-catalog';

/** A price that an operator imported, and the document it comes from. */
interface ImportedPrice {
  prices: PriceSheet;
  source: string;
}

/** By model id. */
export type ImportedPrices = ReadonlyMap<string, ImportedPrice>;

/** What of a catalog prices depend on. */
export type PriceOrigins = Pick<EffectiveCatalog, 'priced' | 'operatorPriced'> & {
  models: readonly Pick<CatalogModel, 'id'>[];
};

/**
 * The prices in force: an imported one takes the place of the seed's, one in the operator's file wins over both. An import of a model that the catalog does not
 * have (any more) waits until it does.
 */
export function pricesInForce(
  { models, priced, operatorPriced }: PriceOrigins,
  imported: ImportedPrices,
): PricedModel[] {
  const known = new Map(priced.map((each) => [each.model, each]));
  return models.flatMap(({ id }) => {
    const own = known.get(id);
    const other = operatorPriced.has(id) ? undefined : imported.get(id);
    if (other) return [{ model: id, ...other }];
    return own ? [own] : [];
  });
}

/** The catalog with the prices in force, as it is shown to others. */
export function withImportedPrices(catalog: EffectiveCatalog, imported: ImportedPrices): EffectiveCatalog {
  if (imported.size === 0) return catalog;
  const priced = pricesInForce(catalog, imported);
  const prices = new Map(priced.map((each) => [each.model, each.prices]));
  return {
    ...catalog,
    priced,
    models: catalog.models.map((model) => ({ ...model, prices: prices.get(model.id) ?? null })),
  };
}

/** Every import that holds. */
export async function readImportedPrices(queries: Pick<Queries<'catalog'>, 'importedPrice'>): Promise<ImportedPrices> {
  const rows = await queries.importedPrice.findMany();
  return new Map(rows.map(({ model, prices, source }) => [model, { prices: priceSheet.parse(prices), source }]));
}
