import { catalogMemory } from '@tollgate/contracts/catalog';
import { connectToNats } from '@tollgate/messaging';
import { eventually, startNatsServer } from '@tollgate/testing';
import type { NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { noSettings } from '../operator/operator-choices';
import { ReachMemory } from './reach-memory';

const logger = pino({ level: 'silent' });
let nats: NatsServer;
let connection: NatsConnection;
let memory: ReachMemory;
beforeEach(async () => {
  nats = await startNatsServer();
  connection = await connectToNats({ url: nats.url, name: 'catalog', logger });
  memory = new ReachMemory(connection, logger);
  await keep();
  expect(await recalls()).toBe(true);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await connection.close();
  await nats.stop();
});

const keep = () =>
  memory.keep(
    { sandbox: true, providers: new Set(['openai']), listed: {} },
    {
      disabled: new Set(),
      approved: new Set(),
      held: [],
      settings: noSettings,
      keys: [],
      standing: new Map(),
      factors: new Map(),
    },
  );
const recalls = async () =>
  (await new ReachMemory(connection, logger).recall())?.reach.providers.has('openai') === true;

it('knows all else where it does not understand the prices or factors that another release kept', async () => {
  const store = await connection.jetstream().views.kv(catalogMemory.bucket, { history: 1 });
  const kept = (await store.get(catalogMemory.key))?.json<object>();
  await store.put(catalogMemory.key, JSON.stringify({ ...kept, standing: 'of another form', factors: [['a:b']] }));
  expect((await new ReachMemory(connection, logger).recall())?.choices.factors).toEqual(new Map());
  expect(await recalls()).toBe(true);
});

it('keeps what it kept again when JetStream lost its store', async () => {
  await nats.kill();
  await rm(join(nats.folder, 'jetstream'), { recursive: true });
  await nats.start();
  await eventually(async () => {
    await keep();
    return recalls();
  });
});

it('keeps it again within a minute when its bucket alone was lost', async () => {
  const { streams } = await connection.jetstreamManager();
  // Whoever looks into a bucket makes it.
  const messages = () =>
    streams.info(catalogMemory.stream).then(
      ({ state }) => state.messages,
      () => 0,
    );
  await streams.delete(catalogMemory.stream);
  await keep();
  expect(await messages()).toBe(0);
  const inAMinute = Date.now() + 60_000;
  jest.spyOn(Date, 'now').mockReturnValue(inAMinute);
  await eventually(async () => {
    await keep();
    return (await messages()) === 1;
  });
  expect(await recalls()).toBe(true);
});
