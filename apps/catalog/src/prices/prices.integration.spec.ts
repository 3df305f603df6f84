import 'reflect-metadata';
import { priceSheet } from '@tollgate/contracts/catalog';
import { createCatalogDatabase } from '@tollgate/database/catalog';
import { startMigratedPostgres } from '@tollgate/database/testing';
import { startNatsServer, type NatsServer, type PostgresServer } from '@tollgate/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { Service } from '@tollgate/service';
import { catalog } from '../catalog.module';
import { CatalogSettings } from '../settings';
import type { PricedModel } from '../effective/effective-catalog';
import { readImportedPrices } from './imported-price';
import type { PriceOrigins } from './imported-price';
import { seedFiles } from '../effective/seed';
import { PriceLedger } from './price-ledger';

/** Ahead of whenever this runs: what has begun by now is never withdrawn. */
const noon = Date.UTC(2100, 0, 20, 12);
const hourMs = 3_600_000;
const priced = (model: string, input: string): PricedModel => ({
  model,
  prices: priceSheet.parse({ input, output: '9' }),
  source: 'test',
  day: null,
});

/** A catalog of these models, whose prices nobody overrides. */
const of = (...sheets: PricedModel[]): PriceOrigins => ({
  models: sheets.map(({ model }) => ({ id: model })),
  priced: sheets,
  operatorPriced: new Set(),
});

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startMigratedPostgres();
});
afterAll(() => postgres.stop());

describe('the history of prices in Postgres', () => {
  let database: ReturnType<typeof createCatalogDatabase>;
  let ledger: PriceLedger;
  const history = (model: string) => database.price.findMany({ where: { model }, orderBy: { validFrom: 'asc' } });

  beforeAll(async () => {
    database = createCatalogDatabase(postgres.url);
    ledger = new PriceLedger(database);
  });
  beforeEach(() => database.price.deleteMany());
  afterAll(() => database.$disconnect());

  it('is written once, however often the same sheets are recorded', async () => {
    const sheets = [priced('x/a', '1'), priced('x/b', '2')];
    await expect(ledger.record(of(...sheets), noon)).resolves.toEqual({ ended: 0, begun: 2 });
    await expect(ledger.record(of(...sheets), noon + hourMs)).resolves.toEqual({ ended: 0, begun: 0 });
  });

  it('never alters a row but for the end of its interval', async () => {
    await ledger.record(of(priced('x/a', '1')), noon);
    const [first] = await history('x/a');
    await ledger.record(of(priced('x/a', '2')), noon + hourMs);
    await ledger.record(of(priced('x/a', '3')), noon + 2 * hourMs);
    const rows = await history('x/a');
    expect(rows).toHaveLength(3);
    expect(rows[0]).toEqual({ ...first, validTo: new Date(noon + hourMs) });
    expect(rows.map(({ validFrom, validTo }) => [validFrom, validTo]).slice(1)).toEqual([
      [new Date(noon + hourMs), new Date(noon + 2 * hourMs)],
      [new Date(noon + 2 * hourMs), null],
    ]);
  });

  it('ends the price of a model that left, and begins anew when it returns', async () => {
    await ledger.record(of(priced('x/a', '1')), noon);
    await expect(ledger.record(of(), noon + hourMs)).resolves.toEqual({ ended: 1, begun: 0 });
    await expect(ledger.record(of(priced('x/a', '1')), noon + 2 * hourMs)).resolves.toEqual({ ended: 0, begun: 1 });
    expect(await history('x/a')).toMatchObject([
      { validTo: new Date(noon + hourMs) },
      { validFrom: new Date(noon + 2 * hourMs), validTo: null },
    ]);
  });

  it('takes the prices of a newer seed into an older database, announced ones ahead, and withdraws what was taken back', async () => {
    await ledger.record(of(priced('x/a', '1'), priced('x/b', '1')), noon);
    const later = noon + 24 * hourMs;
    const from = new Date(later).toISOString();
    const announced = { ...priced('x/a', '2'), changes: [{ from, prices: priced('x/a', '4').prices }] };
    const newer = of(announced, priced('x/b', '1'), priced('x/c', '5'));
    await expect(ledger.record(newer, noon + hourMs)).resolves.toEqual({ ended: 1, begun: 3 });
    expect(await history('x/a')).toMatchObject([
      { inputPico: 1_000_000n, validTo: new Date(noon + hourMs) },
      { inputPico: 2_000_000n, validFrom: new Date(noon + hourMs), validTo: new Date(later) },
      { inputPico: 4_000_000n, validFrom: new Date(later), validTo: null },
    ]);
    for (const at of [noon + 2 * hourMs, later, later + hourMs])
      await expect(ledger.record(newer, at)).resolves.toEqual({ ended: 0, begun: 0 });
    await ledger.record(of(priced('x/a', '2'), priced('x/b', '1'), priced('x/c', '5')), noon + 3 * hourMs);
    expect((await history('x/a')).slice(1)).toMatchObject([{ inputPico: 2_000_000n, validTo: null }]);
  });

  it('keeps that a document said the same, without another row, and an import stays one', async () => {
    const own = of(priced('x/a', '1'));
    const [{ model, prices } = priced('x/a', '1')] = own.priced;
    const imported = async () => (await readImportedPrices(database)).get(model);
    await ledger.record(own, noon);
    const confirm = [{ model, prices }];
    await ledger.import(own, 'a document', noon + hourMs, () => ({ take: [], confirm }));
    expect(await imported()).toMatchObject({ confirms: true, prices, importedAt: new Date(noon + hourMs) });
    expect(await history(model)).toHaveLength(1);
    const dearer = { model, prices: priced(model, '2').prices };
    await ledger.import(own, 'another', noon + 2 * hourMs, () => ({ take: [dearer], confirm: [] }));
    await ledger.import(own, 'a third', noon + 3 * hourMs, () => ({ take: [], confirm: [dearer] }));
    expect(await imported()).toMatchObject({ confirms: false, source: 'a third', prices: dearer.prices });
    expect(await history(model)).toHaveLength(2);
    await database.importedPrice.deleteMany();
  });

  it('has one row for a change that many instances record at once', async () => {
    await ledger.record(of(priced('x/a', '1')), noon);
    const changes = await Promise.all(
      Array.from({ length: 8 }, (_, number) => ledger.record(of(priced('x/a', '2')), noon + hourMs + number)),
    );
    expect(changes.filter(({ ended, begun }) => ended === 1 && begun === 1)).toHaveLength(1);
    expect(changes.filter(({ ended, begun }) => ended === 0 && begun === 0)).toHaveLength(7);
    expect(await history('x/a')).toHaveLength(2);
  });

  it('tells metering of every change by the revision, and of no other', async () => {
    const revision = async () => (await database.catalogRevision.findUnique({ where: { id: 1 } }))?.revision ?? 0n;
    const before = await revision();
    await ledger.record(of(priced('x/a', '1')), noon);
    const after = await revision();
    expect(after).toBeGreaterThan(before);
    await ledger.record(of(priced('x/a', '1')), noon);
    expect(await revision()).toBe(after);
  });
});

describe('a catalog whose Postgres is away at the start', () => {
  let nats: NatsServer;
  beforeAll(async () => {
    nats = await startNatsServer();
    await postgres.kill();
  });
  afterAll(() => nats.stop());

  it('writes prices as soon as Postgres is there', async () => {
    const settings = new CatalogSettings({
      NATS_URL: nats.url,
      DATABASE_URL: postgres.url,
      LOG_LEVEL: 'silent',
      INTERNAL_PORT: '0',
    });
    const service = new Service(catalog, settings);
    const port = await service.start();
    const figures = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const database = createCatalogDatabase(postgres.url);
    try {
      expect(await figures()).toMatch(/^catalog_prices_written 0$/m);
      await postgres.restart();
      while (!/^catalog_prices_written 1$/m.test(await figures())) await delay(100);
      const priced = seedFiles.flatMap(({ models }) => models.flatMap(({ id, prices }) => (prices ? [id] : [])));
      const rows = await database.price.findMany({ where: { validTo: null } });
      expect(rows.map(({ model }) => model).sort()).toEqual(priced.sort());
    } finally {
      await database.$disconnect();
      await service.stop();
    }
  });
});
