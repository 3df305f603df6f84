import 'reflect-metadata';
import { byInstant, ControlError, type Operation } from '@tollgate/contracts';
import {
  catalogOperations,
  clockBoundMs,
  priceOperations,
  priceSheet,
  setFactorOperations,
  setPriceOperations,
  settingsOperations,
} from '@tollgate/contracts/catalog';
import { toPriceColumns, type Database } from '@tollgate/database';
import { createCatalogDatabase } from '@tollgate/database/catalog';
import { startMigratedPostgres } from '@tollgate/database/testing';
import { connectToNats, ControlClient } from '@tollgate/messaging';
import { Service } from '@tollgate/service';
import { eventually, patience, startNatsServer, type NatsServer, type PostgresServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { catalog } from '../catalog.module';
import { LiveCatalog } from '../live-catalog';
import { CatalogSettings } from '../settings';
import { firstPriceLeadMs } from './price-changes';
import { PriceSync } from './price-sync';

const { set, withdraw, list, history } = setPriceOperations;
const by = 'cli:ada';
const hourMs = 3_600_000;
const sheet = (input: string, output = '9') => priceSheet.parse({ input, output });

let nats: NatsServer;
let postgres: PostgresServer;
let connection: NatsConnection;
let folder: string;
let instances: Service<CatalogSettings>[];
let database: Database<'catalog'>;

const start = async (): Promise<Service<CatalogSettings>> => {
  const settings = new CatalogSettings({
    NATS_URL: nats.url,
    DATABASE_URL: postgres.url,
    LOG_LEVEL: 'silent',
    INTERNAL_PORT: '0',
    TOLLGATE_CONFIG: join(folder, 'tollgate.yaml'),
  });
  const service = new Service(catalog, settings);
  await service.start();
  return service;
};
/** On a machine that is busy the database may be too slow for a statement: who is told so asks again. */
async function ask<Request extends z.ZodType, Reply extends z.ZodType>(
  operation: Operation<Request, Reply>,
  asked: z.input<Request>,
): Promise<z.output<Reply>> {
  const once = () => new ControlClient(connection).call(operation, asked, { timeoutMs: 5_000 * patience });
  let told: z.output<Reply> | undefined;
  await eventually(async () => {
    told = await once().catch((error: unknown) => {
      if (error instanceof ControlError && error.code === 'unavailable') return undefined;
      throw error;
    });
    return told !== undefined;
  });
  if (told === undefined) throw new Error('It was asked until it answered.');
  return told;
}
const told = (instance: Service<CatalogSettings>, id: string) =>
  instance.get(LiveCatalog).snapshot.models.find((model) => model.id === id);
/** Waits until every instance tells so of a model. */
const everywhere = (id: string, isSo: (model: ReturnType<typeof told>) => boolean) =>
  eventually(() => instances.every((instance) => isSo(told(instance, id))));
const rowsOf = (model: string) => database.price.findMany({ where: { model }, orderBy: { validFrom: 'asc' } });
const revision = async () => (await database.catalogRevision.findUnique({ where: { id: 1 } }))?.revision;

beforeAll(async () => {
  [nats, postgres] = await Promise.all([startNatsServer(), startMigratedPostgres()]);
  connection = await connectToNats({ url: nats.url, name: 'test' });
  database = createCatalogDatabase(postgres.url);
  folder = mkdtempSync(join(tmpdir(), 'tollgate-set-prices-'));
  writeFileSync(
    join(folder, 'tollgate.yaml'),
    `models:
  - { id: openai/o3, prices: { input: '1', output: '2' } }
  - { id: openai/no-price, provider: openai }
  - { id: openai/gpt-4o, deployments: [{ provider: openai, markup: 0.5 }] }
`,
  );
  instances = await Promise.all([start(), start()]);
  // Either may be asked: both must have written their own prices first.
  await eventually(() => instances.every((instance) => instance.get(PriceSync).isDone));
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.stop()));
  await connection.close();
  await database.$disconnect();
  await Promise.all([nats.stop(), postgres.stop()]);
  rmSync(folder, { recursive: true });
});

describe('a price that is set', () => {
  const model = 'openai/gpt-5.4-mini';
  const from = Date.now() + hourMs;

  it('is only looked at where nothing is to be written', async () => {
    const [before, was] = [await rowsOf(model), await revision()];
    const outcome = await ask(set, { model, prices: sheet('7'), from, dryRun: true, by });
    expect(outcome).toMatchObject({ applied: false, setPrice: null, from, isKnown: true });
    expect(outcome.changes).toContainEqual({ model, rate: 'input', before: expect.any(String), after: '7' });
    expect([await rowsOf(model), await revision(), await database.setPrice.count()]).toEqual([before, was, 0]);
  });

  it('begins at its instant, where the one before ends, and is told with who, when and why', async () => {
    const [first] = await rowsOf(model);
    const { setPrice, applied } = await ask(set, { model, prices: sheet('7'), from, reason: 'a contract', by });
    expect(applied).toBe(true);
    const rows = await rowsOf(model);
    expect(rows).toMatchObject([
      { ...first, validTo: new Date(from) },
      { inputPico: 7_000_000n, validFrom: new Date(from), validTo: null, isSet: true },
    ]);
    expect(setPrice).toMatchObject({ model, from, setBy: by, reason: 'a contract', withdrawnAt: null });
    expect(await ask(history, { model })).toMatchObject({ prices: [{ id: setPrice?.id, setBy: by }], next: null });
    const { prices } = await ask(list, {});
    expect(prices.map(({ model: id, origin, next }) => [id, origin, next.length])).toEqual([
      [model, 'release', 1],
      ['openai/o3', 'file', 0],
    ]);
    expect(prices[0]?.next).toEqual([{ from, prices: sheet('7'), isSet: true }]);
    // The same again, as where an answer was lost, is done once, also by an instance that knows another file.
    const otherwise = (inputPico: bigint) =>
      database.$transaction(async (transaction) => {
        await transaction.$executeRaw`SELECT set_config('tollgate.knows_set_prices', 'on', true)`;
        await transaction.price.updateMany({ where: { model, isSet: false }, data: { inputPico } });
      });
    await otherwise(5n);
    const again = await ask(set, { model, prices: sheet('7'), from, by });
    expect(again).toMatchObject({ applied: false, setPrice: { id: setPrice?.id } });
    expect(await rowsOf(model)).toEqual([{ ...rows[0], inputPico: 5n }, rows[1]]);
    await otherwise(rows[0]?.inputPico ?? 0n);
  });

  it('is taken back while no clock can have begun it, and never was', async () => {
    const [id] = (await ask(history, { model })).prices.map((each) => each.id);
    await ask(withdraw, { id: id ?? '', by: 'cli:bob' });
    expect(await rowsOf(model)).toMatchObject([{ validTo: null, isSet: false }]);
    expect(await ask(history, { model })).toMatchObject({ prices: [{ id, withdrawnBy: 'cli:bob' }] });
    await expect(ask(withdraw, { id: id ?? '', by })).rejects.toMatchObject({ code: 'conflict' });
    await expect(ask(withdraw, { id: 'none', by })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is refused where it is too near, is said by the file, or stands in the way of another', async () => {
    const near = ask(set, { model, prices: sheet('7'), from: Date.now() + clockBoundMs - 1_000, by });
    await expect(near).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('5 minutes') });
    const past = ask(set, { model, prices: sheet('7'), from: 1, by });
    await expect(past).rejects.toMatchObject({ code: 'invalid' });
    const ofFile = ask(set, { model: 'openai/o3', prices: sheet('7'), by });
    await expect(ofFile).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('tollgate.yaml') });
    const nothing = ask(set, { model, prices: null, by });
    await expect(nothing).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('No price') });
    const other = { model: 'openai/gpt-5.4', from: Date.now() + 2 * hourMs, by };
    await ask(set, { ...other, prices: sheet('7') });
    await expect(ask(set, { ...other, prices: sheet('8') })).rejects.toMatchObject({ code: 'conflict' });
    expect(await database.setPrice.count()).toBe(2);
  });

  it('leaves other models as they are, whose price in the file another instance may have read by now', async () => {
    const other = 'openai/gpt-4.1';
    await database.price.updateMany({ where: { model: other }, data: { inputPico: 5n } });
    const rows = await rowsOf(other);
    expect(rows).toMatchObject([{ inputPico: 5n, validTo: null }]);
    const { setPrice } = await ask(set, { model: 'openai/gpt-4.1-mini', prices: sheet('7'), by });
    await ask(withdraw, { id: setPrice?.id ?? '', by });
    expect(await rowsOf(other)).toEqual(rows);
  });

  it('is set by one of several at once, and both know of it', async () => {
    const model = 'openai/gpt-5.4-nano';
    const at = Date.now() + 3 * hourMs;
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => ask(set, { model, prices: sheet('7'), from: at, by })));
    expect(outcomes.filter(({ applied }) => applied).length).toBeLessThan(2);
    expect(new Set(outcomes.map(({ setPrice }) => setPrice?.id)).size).toBe(1);
    expect(await rowsOf(model)).toHaveLength(2);
  });
});

describe('the first price of a model', () => {
  const model = 'openai/no-price';

  it('holds at once and from a day ago, at every instance and after a start', async () => {
    const { applied, from } = await ask(set, { model, prices: sheet('4'), by });
    expect([applied, Date.now() - from >= firstPriceLeadMs]).toEqual([true, true]);
    expect(await rowsOf(model)).toMatchObject([{ validFrom: new Date(from), validTo: null, isSet: true }]);
    await everywhere(model, (one) => one?.prices?.input === '4');
    const third = await start();
    await eventually(() => told(third, model)?.prices?.input === '4');
    await third.stop();
  });

  it('is followed by what it would cost otherwise, a gap here, which is none of an import', async () => {
    const take = { source: 'a document', prices: [{ model, prices: sheet('5') }], apply: true };
    expect(await ask(priceOperations.importPrices, take)).toMatchObject({ applied: false, overridden: [model] });
    const from = Date.now() + hourMs;
    const outcome = await ask(set, { model, prices: null, from, by });
    expect(outcome.changes).toContainEqual({ model, rate: 'input', before: '4', after: null });
    expect(await rowsOf(model)).toMatchObject([{ validTo: new Date(from), isSet: true }]);
  });
});

it('is told shortly before it begins, for whoever reserves what a request may cost', async () => {
  const model = 'openai/gpt-5.2';
  // As it is a while after it was set.
  const from = new Date(Date.now() + clockBoundMs - 1_000);
  await database.setPrice.create({
    data: { model, prices: sheet('70'), validFrom: from, setAt: new Date(0), setBy: by },
  });
  await everywhere(model, (one) => one?.prices?.input !== '70' && one?.pricesBeside?.[0]?.input === '70');
});

describe('a catalog that knows of no such prices', () => {
  const model = 'openai/gpt-5.4-pro';
  const other = 'openai/gpt-5.1';
  const from = Date.now() + hourMs;
  beforeAll(() => ask(set, { model, prices: sheet('7'), from, by }));

  it('cannot end, withdraw or replace them, nor what leads to them, and writes all else', async () => {
    const rows = await rowsOf(model);
    expect(rows).toHaveLength(2);
    const [before, ahead] = rows.map(({ id }) => id);
    const columns = toPriceColumns(sheet('1'));
    // What one of the release before does at its start: the row ahead goes, the one in force goes on or ends.
    await database.$transaction(async (transaction) => {
      await transaction.$executeRaw`UPDATE price SET valid_to = NULL WHERE id = ${before}::uuid`;
      await transaction.price.deleteMany({ where: { id: { in: [ahead ?? ''] } } });
    });
    await database.$transaction(async (transaction) => {
      const now = new Date();
      await transaction.$executeRaw`UPDATE price SET valid_to = ${now} WHERE model IN (${model}, ${other}) AND valid_to IS NULL`;
      const row = { ...columns, validFrom: now, validTo: null, source: 'an older release' };
      await transaction.price.createMany({ data: [model, other].map((each) => ({ model: each, ...row })) });
    });
    expect(await rowsOf(model)).toEqual(rows);
    expect((await rowsOf(other)).at(-1)).toMatchObject({ source: 'an older release', validTo: null });
  });

  it('has the last word again once such a price has ended', async () => {
    await database.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT set_config('tollgate.knows_set_prices', 'on', true)`;
      await transaction.price.deleteMany({ where: { model, isSet: true } });
    });
    await database.price.deleteMany({ where: { model } });
    expect(await rowsOf(model)).toEqual([]);
  });
});

describe('a model of the settings that is new', () => {
  const model = 'openai/of-settings';
  const document = `models:\n  - { id: ${model}, provider: openai, upstreamModel: gpt-5.4, aliases: [of-settings] }\n`;

  it('needs a price first, and is there at every instance once it has one', async () => {
    const apply = () => ask(settingsOperations.apply, { document, version: 0, by });
    await expect(apply()).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('a new one needs a price first'),
    });
    const { isKnown } = await ask(set, { model, prices: sheet('3'), by });
    expect(isKnown).toBe(false);
    expect(await apply()).toMatchObject({ version: 1, applied: true });
    await everywhere(model, (one) => one?.prices?.input === '3' && one.aliases.includes('of-settings'));
    await ask(settingsOperations.rollBack, { to: 0, by });
    await everywhere(model, (one) => one === undefined);
  });
});

describe('a discount and a markup of a deployment', () => {
  const factors = setFactorOperations;
  const deployment = 'openai:gpt-5.4-mini';
  const model = 'openai/gpt-5.4-mini';
  const from = Date.now() + hourMs;
  const said = { discount: '0.15', markup: '0.2' };
  const placeAt = (instance: Service<CatalogSettings>, id = deployment) =>
    instance
      .get(LiveCatalog)
      .snapshot.models.flatMap(({ deployments }) => deployments)
      .find((each) => each.id === id);
  const heldRows = (id: string) => database.heldDeployment.findMany({ where: { deployment: id } });
  /** Waits until every instance tells what is set of a place, with its instants. */
  const everyPlace = (factorsTold: object[] | undefined, id = deployment) =>
    eventually(() => instances.every((each) => isDeepStrictEqual(placeAt(each, id)?.factors, factorsTold)));

  it('are told to all with their instant, and hold for nobody before', async () => {
    const looked = await ask(factors.set, { deployment, factors: said, from, dryRun: true, by });
    expect(looked).toEqual({ applied: false, setFactors: null, from, isKnown: true, before: null });
    expect([await database.setFactor.count(), placeAt(instances[0] ?? fail())?.factors]).toEqual([0, undefined]);
    const { applied, setFactors } = await ask(factors.set, { deployment, factors: said, from, reason: 'why', by });
    expect([applied, setFactors]).toMatchObject([true, { deployment, factors: said, from, setBy: by, reason: 'why' }]);
    await everyPlace([{ from, ...said }]);
    const again = await ask(factors.set, { deployment, factors: said, from, by });
    expect(again).toMatchObject({ applied: false, setFactors: { id: setFactors?.id } });
    const next = { from, factors: said };
    expect((await ask(factors.list, {})).deployments).toEqual([
      { deployment: 'openai:gpt-4o', origin: 'file', factors: { markup: '0.5' }, next: [] },
      { deployment, origin: 'settings', factors: null, next: [next] },
    ]);
  });

  it('keep services that know of none from the deployment, whichever of them is older', async () => {
    // What an edge or inference of the release before reads takes a fraction, and nothing else.
    expect(placeAt(instances[0] ?? fail())?.discount).toBe(byInstant);
    // A catalog of it reads any state but "draining" as closed; one that knows of them passes it over.
    expect(await heldRows(deployment)).toMatchObject([{ state: 'factored', until: null }]);
    expect(instances.map((each) => each.get(LiveCatalog).snapshot.held)).toEqual([[], []]);
    await database.heldDeployment.deleteMany({ where: { deployment } });
    expect(await heldRows(deployment)).toMatchObject([{ state: 'factored' }]);
  });

  it('leave what an operator closes to the operator', async () => {
    const hold = { deployment, by };
    await ask(catalogOperations.holdDeployment, { ...hold, state: 'closed' });
    await eventually(() => instances.every((each) => each.get(LiveCatalog).snapshot.held.length === 1));
    await ask(catalogOperations.holdDeployment, { ...hold, state: 'open' });
    await eventually(() => instances.every((each) => each.get(LiveCatalog).snapshot.held.length === 0));
    expect(await heldRows(deployment)).toMatchObject([{ state: 'factored' }]);
  });

  it('are taken back before they begin, and never were', async () => {
    const [id = ''] = (await ask(factors.history, { deployment })).factors.map((each) => each.id);
    await ask(factors.withdraw, { id, by: 'cli:bob' });
    await everyPlace(undefined);
    expect(await heldRows(deployment)).toEqual([]);
    expect(await ask(factors.history, {})).toMatchObject({ factors: [{ id, withdrawnBy: 'cli:bob' }], next: null });
    await expect(ask(factors.withdraw, { id, by })).rejects.toMatchObject({ code: 'conflict' });
    await expect(ask(factors.withdraw, { id: 'none', by })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are refused where they are too near, of the file, nothing, or in the way of others', async () => {
    const put = (asked: object) => ask(factors.set, { deployment, factors: said, by, ...asked });
    await expect(put({ from: Date.now() + clockBoundMs - 1_000 })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^A discount or markup begins 5 minutes after it was set/),
    });
    const ofFile = put({ deployment: 'openai:gpt-4o' });
    await expect(ofFile).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('tollgate.yaml') });
    await expect(put({ factors: null })).rejects.toMatchObject({ code: 'invalid' });
    const other = { deployment: 'openai:gpt-5.4', from };
    await put(other);
    await expect(put({ ...other, factors: { discount: '0.1' } })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('hold at once for a deployment that is to come, and are told with it', async () => {
    const id = 'house-at-openai';
    const { isKnown, from: at } = await ask(factors.set, { deployment: id, factors: { markup: '0.5' }, by });
    expect([isKnown, at <= Date.now()]).toEqual([false, true]);
    const document = `models:\n  - { id: ${model}, deployments: [{ id: ${id}, provider: openai }] }\n`;
    await ask(settingsOperations.apply, { document, version: 2, by });
    await everyPlace([{ from: at, markup: '0.5' }], id);
    expect(placeAt(instances[0] ?? fail(), id)?.dearestMarkup).toBe('0.5');
    const next = await ask(factors.set, { deployment: id, factors: null, by });
    expect([next.before, next.from - Date.now() > clockBoundMs]).toEqual([{ markup: '0.5' }, true]);
    const third = await start();
    await eventually(() => placeAt(third, id)?.factors?.length === 2);
    await third.stop();
  });
});

function fail(): never {
  throw new Error('There is an instance.');
}
