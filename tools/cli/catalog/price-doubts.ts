import { ControlError } from '@tollgate/contracts';
import { catalogOperations, hasOldPrices, type CatalogSnapshot, type PriceDoubt } from '@tollgate/contracts/catalog';
import { NotInAdminApi } from '../failure';
import type { Gateway } from '../gateway';

/**
 * What catalog doubts of the prices of each model, by its id. Of none while catalog is away, and over HTTP:
 * there edge says it beside each cost.
 */
export async function priceDoubts(gateway: Gateway): Promise<ReadonlyMap<string, PriceDoubt>> {
  const { models, pricesOldAfterDays } = await catalogOf(gateway);
  const now = Date.now();
  return new Map(
    models.map((model): [string, PriceDoubt] => {
      const pricesOldSince = hasOldPrices(model, pricesOldAfterDays, now) ? (model.pricesAsOf ?? null) : null;
      return [model.id, { priceUnconfirmed: model.priceUnconfirmed, pricesOldSince }];
    }),
  );
}

async function catalogOf(gateway: Gateway): Promise<Pick<CatalogSnapshot, 'models' | 'pricesOldAfterDays'>> {
  try {
    return await gateway.call(catalogOperations.snapshot, {});
  } catch (error) {
    const isAway = error instanceof ControlError && error.code === 'unavailable';
    if (isAway || error instanceof NotInAdminApi) return { models: [], pricesOldAfterDays: 0 };
    throw error;
  }
}

/** Why the price behind a charge may be another, in sentences. */
export function doubtsInWords({ priceUnconfirmed, pricesOldSince }: PriceDoubt): string[] {
  const old = `The prices of this model were last taken from their source on ${pricesOldSince}: compare them with tollgate prices update.`;
  const unconfirmed =
    'The price of this model is unconfirmed: sources disagree on it, or it has parts that are not shown.';
  return [...(pricesOldSince ? [old] : []), ...(priceUnconfirmed ? [unconfirmed] : [])];
}
