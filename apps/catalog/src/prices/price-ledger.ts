import type { Database, Queries } from '@tollgate/database';
import type { PricedModel } from '../effective/effective-catalog';
import { priceChanges } from './price-changes';

/** Any number that nothing else in this database locks. Whoever changes prices holds it until the transaction ends. */
const priceLock = 7_401_655_929;

/** The history of prices in Postgres. A row is never changed, but for the end of its interval, once. */
export class PriceLedger {
  constructor(private readonly database: Database<'catalog'>) {}

  /**
   * Makes the table agree with the sheets that came into force at `at` (epoch milliseconds), in one transaction. Any number of instances may do so at once:
   * the first one writes, the others find nothing to change. Returns how many rows were ended and added.
   */
  async record(priced: readonly PricedModel[], at: number): Promise<{ ended: number; begun: number }> {
    return this.database.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${priceLock}::bigint)`;
      return apply(transaction, priced, at);
    });
  }
}

async function apply(
  transaction: Queries<'catalog'>,
  priced: readonly PricedModel[],
  at: number,
): Promise<{ ended: number; begun: number }> {
  const newest = await transaction.price.findMany({
    distinct: ['model'],
    orderBy: [{ model: 'asc' }, { validFrom: 'desc' }],
  });
  const { ended, begun } = priceChanges(newest, priced, at);
  for (const { id, validTo } of ended) await transaction.price.update({ where: { id }, data: { validTo } });
  if (begun.length) await transaction.price.createMany({ data: begun });
  return { ended: ended.length, begun: begun.length };
}
