import 'reflect-metadata';
import { ControlError, type Operation } from '@tollgate/contracts';
import { ownKeySealingOperations } from '@tollgate/contracts/accounts';
import {
  aboutProviderKey,
  catalogSubjects,
  liveProviderOperations,
  sealingOperations,
  settingsOperations,
} from '@tollgate/contracts/catalog';
import type { InferenceAnnouncement } from '@tollgate/contracts/inference';
import { createCatalogDatabase } from '@tollgate/database/catalog';
import { startMigratedPostgres } from '@tollgate/database/testing';
import { connectToNats, ControlClient, serveOperation } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { OpeningKey, sealProviderKey } from '@tollgate/sealing';
import { Service } from '@tollgate/service';
import { eventually, patience, startNatsServer, type NatsServer, type PostgresServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import type { z } from 'zod';
import { catalog } from '../catalog.module';
import { LiveCatalog } from '../live-catalog';
import { CatalogSettings } from '../settings';

const { list, set, remove, sealingFor, setKey, removeKey } = liveProviderOperations;
const by = 'cli:ada';
const there = 'https://acme.example/v1';
const opening = new OpeningKey('a key-encryption key of 32 characters');

let nats: NatsServer;
let postgres: PostgresServer;
let connection: NatsConnection;
let instances: Service<CatalogSettings>[];
/** What each instance logs while a test runs. */
let logs: Record<'error' | 'warn', jest.SpyInstance>[];

const start = async (): Promise<Service<CatalogSettings>> => {
  const service = new Service(
    catalog,
    new CatalogSettings({ NATS_URL: nats.url, DATABASE_URL: postgres.url, LOG_LEVEL: 'silent', INTERNAL_PORT: '0' }),
  );
  await service.start();
  return service;
};
const ask = <Request extends z.ZodType, Reply extends z.ZodType>(
  operation: Operation<Request, Reply>,
  asked: z.input<Request>,
) => new ControlClient(connection).call(operation, asked, { timeoutMs: 5_000 * patience });
/** What an inference instance tells, as often as one does: it is forgotten when it falls silent. */
let announced: InferenceAnnouncement | null = null;
let telling: NodeJS.Timeout;
const tell = () => {
  if (announced) connection.publish(catalogSubjects.inferenceAnnouncement, JSON.stringify(announced));
};
const announce = async (faults: InferenceAnnouncement['faults'] = {}) => {
  announced = { instance: 'one', sandbox: false, providers: [], listed: {}, opens: [opening.public], faults };
  tell();
  await eventually(() => instances.every((each) => each.get(LiveCatalog).sealing !== null));
};
const giveKey = async (provider: string, name: string, key: string) => {
  const to = await ask(sealingFor, { provider });
  return ask(setKey, { provider, name, ...sealProviderKey(provider, name, key, to), by });
};
const acmeAt = (instance: Service<CatalogSettings>) =>
  instance.get(LiveCatalog).snapshot.providers.find(({ id }) => id === 'acme');
/** What inference would open at every instance of catalog. */
const openedEverywhere = (keys: readonly string[]) =>
  eventually(() =>
    instances.every((instance) => {
      const provider = acmeAt(instance);
      const opened = provider?.sealedKeys?.map(({ name, sealed }) =>
        opening.open(sealed, aboutProviderKey('acme', name, provider.baseUrl)),
      );
      return JSON.stringify(opened) === JSON.stringify(keys);
    }),
  );

/** A provider that served, and cannot any more: an error at every instance, and no warning. */
function expectOutage(problem: string): void {
  for (const { error, warn } of logs) {
    expect(error).toHaveBeenLastCalledWith(
      { version: expect.any(Number), problems: [expect.stringContaining(problem)] },
      expect.stringContaining('are set aside'),
    );
    expect(warn).not.toHaveBeenCalledWith(expect.anything(), expect.stringContaining('no key yet'));
  }
}

beforeAll(async () => {
  [nats, postgres] = await Promise.all([startNatsServer(), startMigratedPostgres()]);
  connection = await connectToNats({ url: nats.url, name: 'test' });
  instances = await Promise.all([start(), start()]);
  telling = setInterval(tell, 1_000);
});
beforeEach(() => {
  logs = instances.map(({ logger }) => ({ error: jest.spyOn(logger, 'error'), warn: jest.spyOn(logger, 'warn') }));
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  clearInterval(telling);
  await Promise.all(instances.map((instance) => instance.stop()));
  await connection.close();
  await Promise.all([nats.stop(), postgres.stop()]);
});

it('gives no key while no inference could open it', async () => {
  await expect(ask(sealingFor, { provider: 'openai' })).rejects.toMatchObject({
    ...{ code: 'unavailable', message: expect.stringContaining('TOLLGATE_KEY_ENCRYPTION_KEY') },
  });
  expect(await ask(list, {})).toEqual({ sealing: null, providers: [] });
});

it('sets a provider at every instance, which holds once it has its key, and tells nobody of it', async () => {
  await announce();
  await expect(ask(sealingFor, { provider: 'acme' })).rejects.toMatchObject({ code: 'not_found' });
  expect(await ask(set, { provider: 'acme', baseUrl: there, reason: 'cheap', by })).toMatchObject({
    version: 1,
    provider: { provider: 'acme', builtIn: false, baseUrl: there, problem: expect.stringContaining('is not there') },
  });
  // A provider is set before its key is given: nothing is wrong.
  await eventually(() => instances.every((instance) => acmeAt(instance) !== undefined));
  for (const { error, warn } of logs) {
    expect(error).not.toHaveBeenCalled();
    expect(warn).toHaveBeenCalledWith(
      { version: 1, problems: [expect.stringContaining('not given yet')] },
      expect.stringContaining('were given no key yet'),
    );
  }
  expect(await giveKey('acme', 'main', 'sk-first-of-acme')).toMatchObject({
    ...{ version: 1, provider: { problem: null } },
  });
  await openedEverywhere(['sk-first-of-acme']);
  const told = await ask(list, {});
  expect(told.providers).toMatchObject([{ keys: [{ name: 'main', lastFour: 'acme', setBy: by, problem: null }] }]);
  expect(JSON.stringify([told, await ask(settingsOperations.show, {})])).not.toContain('sk-first');
  const database = createCatalogDatabase(postgres.url);
  expect(JSON.stringify(await database.providerKey.findMany())).not.toContain('sk-first');
  await database.$disconnect();
  expect(acmeAt(instances[0] as Service<CatalogSettings>)).toMatchObject({
    isLive: true,
    discover: { prefix: 'acme/' },
  });
  const { versions } = await ask(settingsOperations.history, {});
  expect(versions).toMatchObject([{ version: 1, setBy: by, reason: 'cheap' }]);
});

it('takes another key in the place of one, and one beside it, and lets them go', async () => {
  await giveKey('acme', 'main', 'sk-second-of-acme');
  expect(await giveKey('acme', 'spare', 'sk-spare-of-acme')).toMatchObject({ version: 2 });
  await openedEverywhere(['sk-second-of-acme', 'sk-spare-of-acme']);
  expect(await ask(removeKey, { provider: 'acme', name: 'main', by })).toMatchObject({ provider: { problem: null } });
  await openedEverywhere(['sk-spare-of-acme']);
  expect(await ask(removeKey, { provider: 'acme', name: 'spare', by })).toMatchObject({
    provider: { problem: expect.stringContaining('its key spare is not there') },
  });
  await openedEverywhere([]);
  expectOutage('is not there: it was not given yet, or was removed');
  await expect(ask(removeKey, { provider: 'acme', name: 'spare', by })).rejects.toMatchObject({ code: 'not_found' });
});

it('sends a key to no other address than it was given for', async () => {
  await giveKey('acme', 'spare', 'sk-spare-of-acme');
  const stale = await ask(sealingFor, { provider: 'acme' });
  const moved = await ask(set, { provider: 'acme', baseUrl: 'https://evil.example/v1', by });
  expect(moved.provider).toMatchObject({ problem: expect.stringContaining(`was given for ${there}, and goes to no`) });
  await openedEverywhere([]);
  expectOutage(`was given for ${there}`);
  const late = { provider: 'acme', name: 'spare', ...sealProviderKey('acme', 'spare', 'sk-late', stale), by };
  await expect(ask(setKey, late)).rejects.toMatchObject({ code: 'invalid' });
  await ask(set, { provider: 'acme', baseUrl: there, by });
  await openedEverywhere(['sk-spare-of-acme']);
});

it('tells a key that the settings do not name, adds nothing that is there, and keeps no key that cannot be named', async () => {
  await expect(ask(set, { provider: 'acme', baseUrl: there, onlyNew: true, by })).rejects.toMatchObject({
    code: 'conflict',
  });
  const { version, document } = await ask(settingsOperations.show, {});
  const names = Array.from({ length: 8 }, (_, index) => `key-${index}`).join(', ');
  const full = document.replace(/keys:[^]*?spare *\]?/, `keys: [${names}]`);
  await ask(settingsOperations.apply, { document: full, version, by });
  const problem = 'The settings do not name this key among those of acme: it is not used.';
  expect((await ask(list, {})).providers).toMatchObject([{ keys: [{ name: 'spare', problem }] }]);
  await expect(giveKey('acme', 'main', 'sk-ninth-of-acme')).rejects.toMatchObject({ code: 'invalid' });
  expect((await ask(list, {})).providers[0]?.keys.map(({ name }) => name)).toEqual(['spare']);
  await ask(settingsOperations.rollBack, { to: version, by });
  await openedEverywhere(['sk-spare-of-acme']);
});

it('is refused what does not fit, and tells what inference cannot use', async () => {
  for (const baseUrl of ['http://acme.example/v1', 'https://169.254.169.254/v1', 'https://127.0.0.1/v1'])
    await expect(ask(set, { provider: 'evil', baseUrl, by })).rejects.toMatchObject({ code: 'invalid' });
  await expect(ask(set, { provider: 'openai', baseUrl: there, by })).rejects.toMatchObject({
    ...{ code: 'invalid', message: expect.stringContaining('openai is a provider of the release') },
  });
  const strange = { sealing: new OpeningKey('another key-encryption key, 32 letters').public, baseUrl: there };
  const sealed = sealProviderKey('acme', 'spare', 'sk-strange', strange);
  await expect(ask(setKey, { provider: 'acme', name: 'spare', ...sealed, by })).rejects.toMatchObject({
    ...{ code: 'invalid', message: expect.stringContaining('sealed with another key') },
  });
  await announce({ acme: 'Its key (spare) cannot be opened.' });
  const problem = 'Its key (spare) cannot be opened.';
  await eventually(async () => (await ask(list, {})).providers[0]?.problem === problem);
  const { entries } = await ask(settingsOperations.show, {});
  expect(entries.find(({ id }) => id === 'acme')).toMatchObject({ standing: 'set-aside', problem });
  await announce();
});

it('gives a provider of the release a key, and takes it out again', async () => {
  expect(await giveKey('openai', 'main', 'sk-of-openai')).toMatchObject({
    provider: { builtIn: true, baseUrl: 'https://api.openai.com/v1', problem: null },
  });
  await eventually(() =>
    instances.every((instance) =>
      instance.get(LiveCatalog).snapshot.providers.some(({ id, sealedKeys }) => id === 'openai' && sealedKeys?.length),
    ),
  );
  expect(await ask(removeKey, { provider: 'openai', name: 'main', by })).toMatchObject({ provider: { problem: null } });
  // Whether that is wrong depends on the environment, which inference has; in its place is no sandbox.
  const sealedOf = (instance: Service<CatalogSettings>) =>
    instance.get(LiveCatalog).snapshot.providers.find(({ id }) => id === 'openai')?.sealedKeys;
  await eventually(() => instances.every((instance) => sealedOf(instance)?.length === 0));
  await ask(remove, { provider: 'openai', by });
  await expect(ask(remove, { provider: 'openai', by })).rejects.toMatchObject({ code: 'not_found' });
});

it('tells what it sealed again while accounts is away, and that own keys were not looked at', async () => {
  await announce();
  const told = await eventually(
    () => ask(liveProviderOperations.reseal, { by }).catch(() => null),
    (reply) => reply !== null,
  );
  expect(told).toEqual({ resealed: 0, failed: [], failedOwn: [], ownUnseen: true });
});

it('has keys that accounts brought sealed again, page by page, and names those that cannot be opened', async () => {
  await announce();
  const sealing = opening.public.id;
  const key = (provider: string, sealed: string, project = '') => ({
    ...{ accountId: 'a', account: 'ada@own.example', baseUrl: there },
    ...{ provider, sealed, project },
  });
  const next = { accountId: 'a', provider: 'lost', project: 'checkout' };
  const kept: unknown[] = [];
  const logger = createLogger('spec', 'silent');
  const { former, keep } = ownKeySealingOperations;
  const page = ({ after, projects }: z.output<typeof former.request>) => {
    if (!projects) return Promise.resolve({ keys: [], next: null });
    const first = { keys: [key('acme', 'old.1'), key('lost', 'strange.1', 'checkout')], next };
    return Promise.resolve(after?.project ? { keys: [key('xai', 'old.2', 'search')], next: null } : first);
  };
  const keeping = ({ keys }: z.output<typeof keep.request>) =>
    Promise.resolve({ kept: kept.push(...keys) && keys.length });
  const again = ({ sealed }: z.output<typeof sealingOperations.resealOwn.request>) =>
    Promise.resolve({ sealed: sealed.startsWith('old.') ? `${sealing}.${sealed}` : null });
  serveOperation(connection, 'accounts', former, page, logger);
  serveOperation(connection, 'accounts', keep, keeping, logger);
  serveOperation(connection, 'inference', sealingOperations.resealOwn, again, logger);
  await connection.flush();
  const told = await eventually(
    () => ask(liveProviderOperations.reseal, { by }).catch(() => null),
    (reply) => reply !== null,
  );
  const failedOwn = [{ account: 'ada@own.example', provider: 'lost', project: 'checkout' }];
  expect(told).toEqual({ resealed: 2, failed: [], failedOwn });
  expect(kept.slice(-2)).toEqual([
    { accountId: 'a', provider: 'acme', project: '', before: 'old.1', sealed: `${sealing}.old.1` },
    { accountId: 'a', provider: 'xai', project: 'search', before: 'old.2', sealed: `${sealing}.old.2` },
  ]);
});

it('seals no key again while instances have different keys as their newest', async () => {
  const other = new OpeningKey('another key-encryption key, 32 letters').public;
  await announce();
  const second = {
    instance: 'two',
    sandbox: false,
    providers: [],
    listed: {},
    opens: [other, opening.public],
    faults: {},
  };
  const refused = () =>
    ask(liveProviderOperations.reseal, { by }).then(
      () => false,
      (error: unknown) => error instanceof ControlError && error.code === 'unavailable',
    );
  await eventually(() => {
    connection.publish(catalogSubjects.inferenceAnnouncement, JSON.stringify(second));
    return refused();
  });
});

it('removes keys that outlived their provider, and takes no id that is a word of JavaScript', async () => {
  await expect(ask(set, { provider: 'constructor', baseUrl: there, by })).rejects.toMatchObject({ code: 'invalid' });
  const database = createCatalogDatabase(postgres.url);
  const orphan = { provider: 'gone', name: 'main', baseUrl: there, sealed: 'box', setAt: new Date(), setBy: by };
  await database.providerKey.create({ data: orphan });
  await ask(remove, { provider: 'gone', by });
  expect(await database.providerKey.count({ where: { provider: 'gone' } })).toBe(0);
  await database.$disconnect();
});

it('is set aside where a roll-back brings back a provider whose keys were removed with it', async () => {
  const { version } = await ask(settingsOperations.show, {});
  await ask(remove, { provider: 'acme', by });
  await eventually(() => instances.every((instance) => acmeAt(instance) === undefined));
  const { passedOver } = await ask(settingsOperations.rollBack, { to: version, by });
  expect(passedOver).toMatchObject([
    { section: 'providers', id: 'acme', standing: 'set-aside', problem: expect.stringContaining('or was removed') },
  ]);
  await openedEverywhere([]);
  await giveKey('acme', 'spare', 'sk-again-of-acme');
  await openedEverywhere(['sk-again-of-acme']);
});
