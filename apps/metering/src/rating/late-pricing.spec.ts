import type { Databases } from '../databases';
import { LatePricing } from './late-pricing';

it('reads prices only where they changed since its last run', async () => {
  let revision = 7n;
  const findMany = jest.fn(async () => []);
  const ingest = {
    catalogRevision: { findUnique: async () => ({ id: 1, revision }) },
    price: { findMany },
    // No event waits for its price.
    $transaction: async () => ({ priced: 0, last: null }),
  };
  const pricing = new LatePricing({ ingest } as unknown as Databases);
  for (let run = 0; run < 3; run++) await pricing.run();
  expect(findMany).toHaveBeenCalledTimes(1);
  revision = 8n;
  for (let run = 0; run < 3; run++) await pricing.run();
  expect(findMany).toHaveBeenCalledTimes(2);
});
