import { recount } from '../reports/recount';
import { makeEvent } from '../testing/make-event';
import { addPrice, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { LatePricing } from './late-pricing';

describe('LatePricing', () => {
  let env: MeteringDatabase;
  beforeAll(async () => (env = await startMeteringDatabase()));
  afterAll(() => env.stop());

  it('prices events that came before their price, once, and leaves known costs and later prices alone', async () => {
    const ingest = env.newIngest();
    const late = new LatePricing(env.databases);
    const at = Date.UTC(2026, 7, 1);
    const unpriced = Array.from({ length: 1_203 }, (_, index) =>
      makeEvent({ keyId: 'late', model: 'test/late', endedAt: at + index * 1_000 }),
    );
    const before = makeEvent({ keyId: 'late', model: 'test/late', endedAt: at - 86_400_000 });
    await ingest.ingest([...unpriced, before, makeEvent({ keyId: 'late' })]);
    expect(await late.run()).toBe(0);
    await addPrice(env.catalog, 'test/late', { input: '3', output: '4' }, new Date(at - 1_000));
    expect(await late.run()).toBe(1_203);
    expect(await late.run()).toBe(0);
    expect(await recount(env.database, 'late', 0)).toMatchObject({
      requests: 1_205,
      costNanoUsd: (1_203 * 50_000 + 20_000).toString(),
      differences: [],
    });
    expect(await env.database.usageEvent.count({ where: { keyId: 'late', costNanoUsd: null } })).toBe(1);
  });
});
