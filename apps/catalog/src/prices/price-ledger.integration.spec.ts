import { priceSheet } from '@tollgate/contracts';
import { createDatabase, migrate } from '@tollgate/database';
import type { PostgresServer } from '@tollgate/testing';
import { startPostgres } from '@tollgate/testing';
import type { PricedModel } from '../effective/effective-catalog';
import { PriceLedger } from './price-ledger';

const noon = Date.UTC(2026, 10, 20, 12);
const hourMs = 3_600_000;
const priced = (model: string, input: string): PricedModel => ({
  model,
  prices: priceSheet.parse({ input, output: '9' }),
  source: 'test',
});

describe('the history of prices in Postgres', () => {
  let postgres: PostgresServer;
  let database: ReturnType<typeof createDatabase<'catalog'>>;
  let ledger: PriceLedger;
  const history = (model: string) => database.price.findMany({ where: { model }, orderBy: { validFrom: 'asc' } });

  beforeAll(async () => {
    postgres = await startPostgres();
    await migrate(postgres.url);
    database = createDatabase(postgres.url, 'catalog');
    ledger = new PriceLedger(database);
  });
  beforeEach(() => database.price.deleteMany());
  afterAll(async () => {
    await database.$disconnect();
    await postgres.stop();
  });

  it('is written once, however often the same sheets are recorded', async () => {
    const sheets = [priced('x/a', '1'), priced('x/b', '2')];
    await expect(ledger.record(sheets, noon)).resolves.toEqual({ ended: 0, begun: 2 });
    await expect(ledger.record(sheets, noon + hourMs)).resolves.toEqual({ ended: 0, begun: 0 });
  });

  it('never alters a row but for the end of its interval', async () => {
    await ledger.record([priced('x/a', '1')], noon);
    const [first] = await history('x/a');
    await ledger.record([priced('x/a', '2')], noon + hourMs);
    await ledger.record([priced('x/a', '3')], noon + 2 * hourMs);
    const rows = await history('x/a');
    expect(rows).toHaveLength(3);
    expect(rows[0]).toEqual({ ...first, validTo: new Date(noon + hourMs) });
    expect(rows.map(({ validFrom, validTo }) => [validFrom, validTo]).slice(1)).toEqual([
      [new Date(noon + hourMs), new Date(noon + 2 * hourMs)],
      [new Date(noon + 2 * hourMs), null],
    ]);
  });

  it('ends the price of a model that left, and begins anew when it returns', async () => {
    await ledger.record([priced('x/a', '1')], noon);
    await expect(ledger.record([], noon + hourMs)).resolves.toEqual({ ended: 1, begun: 0 });
    await expect(ledger.record([priced('x/a', '1')], noon + 2 * hourMs)).resolves.toEqual({ ended: 0, begun: 1 });
    expect(await history('x/a')).toMatchObject([
      { validTo: new Date(noon + hourMs) },
      { validFrom: new Date(noon + 2 * hourMs), validTo: null },
    ]);
  });

  it('has one row for a change that many instances record at once', async () => {
    await ledger.record([priced('x/a', '1')], noon);
    const changes = await Promise.all(
      Array.from({ length: 8 }, (_, number) => ledger.record([priced('x/a', '2')], noon + hourMs + number)),
    );
    expect(changes.filter(({ ended, begun }) => ended === 1 && begun === 1)).toHaveLength(1);
    expect(changes.filter(({ ended, begun }) => ended === 0 && begun === 0)).toHaveLength(7);
    expect(await history('x/a')).toHaveLength(2);
  });

  it('tells metering of every change by the revision, and of no other', async () => {
    const revision = async () => (await database.catalogRevision.findUnique({ where: { id: 1 } }))?.revision ?? 0n;
    const before = await revision();
    await ledger.record([priced('x/a', '1')], noon);
    const after = await revision();
    expect(after).toBeGreaterThan(before);
    await ledger.record([priced('x/a', '1')], noon);
    expect(await revision()).toBe(after);
  });
});
