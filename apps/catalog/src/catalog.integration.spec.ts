import 'reflect-metadata';
import { catalogOperations, catalogSubjects, isRetired } from '@tollgate/contracts/catalog';
import type { CatalogSnapshot } from '@tollgate/contracts/catalog';
import { connectToNats, ControlClient, publishJson } from '@tollgate/messaging';
import { eventually, freePort, patience, startNatsServer, type NatsServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '@tollgate/service';
import { catalog } from './catalog.module';
import { LiveCatalog } from './live-catalog';
import { CatalogSettings } from './settings';

describe('the catalog service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-catalog-'));
  const configurationFile = join(folder, 'tollgate.yaml');
  const running: Service<CatalogSettings>[] = [];
  const revisions: number[] = [];
  let nats: NatsServer;
  let connection: NatsConnection;
  let settings: CatalogSettings;

  const start = async (changed: { configurationFile?: string } = {}): Promise<Service<CatalogSettings>> => {
    const service = new Service(catalog, Object.assign(settings, changed));
    running.push(service);
    await service.start();
    return service;
  };
  const timeoutMs = 2_000 * patience;
  const snapshot = (): Promise<CatalogSnapshot> =>
    new ControlClient(connection).call(catalogOperations.snapshot, {}, { timeoutMs });
  const announce = (instance: string, providers: string[], sandbox = false, listed: object = {}): void =>
    publishJson(connection, catalogSubjects.inferenceAnnouncement, { instance, providers, sandbox, listed });

  beforeAll(async () => {
    nats = await startNatsServer();
    connection = await connectToNats({ url: nats.url, name: 'test' });
    connection.subscribe(catalogSubjects.changed, {
      callback: (_, message) => revisions.push(message.json<{ revision: number }>().revision),
    });
  });
  beforeEach(async () => {
    revisions.length = 0;
    settings = new CatalogSettings({
      NATS_URL: nats.url,
      // Nobody listens there: the catalog must not need Postgres.
      DATABASE_URL: `postgresql://nobody@127.0.0.1:${await freePort()}/tollgate`,
      LOG_LEVEL: 'silent',
      INTERNAL_PORT: '0',
    });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
    const manager = await connection.jetstreamManager();
    // The bucket's stream: each test starts without a memory of availability.
    await manager.streams.delete('KV_catalog').catch(() => undefined);
  });
  afterAll(async () => {
    await connection.close();
    await nats.stop();
    rmSync(folder, { recursive: true });
  });

  it('serves the seed while Postgres is away, with nothing available before an instance announces', async () => {
    await start();
    const { models, providers, available, sandbox } = await snapshot();
    expect(models.length).toBeGreaterThanOrEqual(60);
    expect(providers.length).toBeGreaterThanOrEqual(14);
    expect({ available, sandbox }).toEqual({ available: [], sandbox: false });
  });

  it('tells the prices in force, with hours, tiers and fees, whether or not anything was ever imported', async () => {
    await start();
    const { models } = await snapshot();
    const termsOf = (wanted: string) => models.find(({ id }) => id === wanted)?.prices?.terms;
    expect(termsOf('deepseek/deepseek-v4-pro')?.hours).toMatchObject([{ from: '01:00' }, { from: '06:00' }]);
    expect(termsOf('anthropic/claude-opus-5')).toMatchObject({
      served: expect.arrayContaining([{ on: 'speed', value: 'fast', factor: '2' }]),
      units: { webSearch: '0.01' },
    });
  });

  it('tells who has it already its revision alone, until anything of it is another', async () => {
    await start();
    const { digest } = await snapshot();
    const unless = (known = digest) =>
      new ControlClient(connection).call(catalogOperations.snapshotUnless, { unless: known }, { timeoutMs });
    expect(digest).toBeDefined();
    expect(await unless()).toEqual({ revision: expect.any(Number), isSame: true });
    announce('one', ['deepseek']);
    await eventually(unless, (answer) => 'available' in answer && answer.available.length > 0);
    expect(await unless('of another')).toHaveProperty('models');
  });

  it('makes models available when an inference instance announces their provider, and tells everyone', async () => {
    await start();
    const before = await snapshot();
    announce('one', ['deepseek']);
    await eventually(() => (revisions.at(-1) ?? 0) > before.revision);
    const after = await snapshot();
    expect(after.revision).toBe(revisions.at(-1));
    expect(after.available).toEqual([
      'deepseek/deepseek-flash',
      'deepseek/deepseek-v4-pro',
      'deepseek/deepseek-v4-flash',
    ]);
  });

  it('makes every model available for whose provider the sandbox stands in', async () => {
    await start();
    const { models, providers } = await snapshot();
    announce(
      'one',
      providers.map(({ id }) => id),
      true,
    );
    await eventually(async () => (await snapshot()).sandbox);
    const { available } = await snapshot();
    const served = models.filter(({ retirement }) => !isRetired(retirement, Date.now()));
    expect(available).toEqual(served.map(({ id }) => id));
  });

  it('offers what a server of the operator lists, beside the sandbox, as long as it lists it', async () => {
    writeFileSync(configurationFile, 'providers: [{id: home, preset: ollama, models: discover}]\n');
    await start({ configurationFile });
    const offered = async () => (await snapshot()).available.filter((id) => id.startsWith('home/'));
    const list = (...names: string[]) => ({ home: names.map((name) => ({ name, contextWindow: null })) });
    announce('one', ['home'], true, list('llama3.2', 'qwen3'));
    await eventually(async () => (await offered()).length === 2);
    const { models, sandbox } = await snapshot();
    expect(sandbox).toBe(true);
    expect(models.find(({ id }) => id === 'home/qwen3')).toMatchObject({ provider: 'home', prices: null });
    announce('one', ['home'], true, list('qwen3'));
    await eventually(async () => (await offered()).length === 1);
    expect((await snapshot()).models.some(({ id }) => id === 'home/llama3.2')).toBe(false);
  });

  it('shows what a built-in provider ships, and offers it when an operator has switched it on', async () => {
    await start();
    const shipped = { name: 'gpt-7-nova', contextWindow: null, createdAt: Math.floor(Date.now() / 1_000) };
    announce('one', ['openai'], false, { openai: [shipped, { name: 'gpt-7-tts', contextWindow: null }] });
    await eventually(async () => (await snapshot()).models.some(({ id }) => id === 'openai/gpt-7-nova'));
    const { models, disabled, available } = await snapshot();
    const found = models.filter(({ discovered }) => discovered);
    expect(found).toMatchObject([{ id: 'openai/gpt-7-nova', prices: null, capabilities: { tools: true } }]);
    expect(disabled).toEqual(['openai/gpt-7-nova']);
    expect(available).not.toContain('openai/gpt-7-nova');
  });

  it('offers what a built-in provider ships at once, or never, where the file says so', async () => {
    const listed = {
      openai: [{ name: 'gpt-7-nova', contextWindow: null }],
      xai: [{ name: 'grok-9', contextWindow: null }],
    };
    writeFileSync(configurationFile, 'newModels: at-once\nproviders: [{id: xai, models: never}]\n');
    await start({ configurationFile });
    announce('one', ['openai', 'xai'], false, listed);
    await eventually(async () => (await snapshot()).available.includes('openai/gpt-7-nova'));
    expect((await snapshot()).models.some(({ id }) => id === 'xai/grok-9')).toBe(false);
  });

  it('tells its revision again and again, for listeners that missed it', async () => {
    await start();
    await eventually(() => revisions.length >= 3);
    expect(new Set(revisions).size).toBe(1);
  });

  it('knows after a restart what was available before it, under a greater revision', async () => {
    const first = await start();
    announce('one', ['groq']);
    await eventually(async () => (await snapshot()).available.length > 0);
    const before = await snapshot();
    await eventually(async () => {
      const manager = await connection.jetstreamManager();
      const bucket = await manager.streams.info('KV_catalog').catch(() => null);
      return (bucket?.state.messages ?? 0) > 0;
    });
    await first.stop();
    running.splice(0);

    await start();
    const after = await snapshot();
    expect(after.available).toEqual(before.available);
    expect(after.revision).toBeGreaterThan(before.revision);
  });

  it('keeps closed what an operator closed, when it starts anew while Postgres is away', async () => {
    const hold = { deployment: 'groq/x@groq', state: 'closed', reason: null, by: 'cli:ada', since: 1, until: null };
    const over = { ...hold, deployment: 'groq/y@groq', until: 2 };
    const bucket = await connection.jetstream().views.kv('catalog');
    const choices = { disabled: ['deepseek/deepseek-v4-pro'], held: [hold, over] };
    await bucket.put('reach', JSON.stringify({ sandbox: false, providers: ['deepseek'], ...choices }));
    await start();
    const { held, disabled, available } = await snapshot();
    expect({ held, disabled }).toEqual({ held: [hold], disabled: choices.disabled });
    expect(available).not.toContain('deepseek/deepseek-v4-pro');
  });

  it('comes to one revision with the other instances', async () => {
    const instances = await Promise.all([start(), start()]);
    announce('one', ['groq']);
    await eventually(
      () => instances.map((instance) => instance.get(LiveCatalog).snapshot),
      ([one, other]) => one?.revision === other?.revision && [one, other].every((each) => each?.available.length),
    );
  });

  it('takes a good edit of the configuration file, and keeps the last good one when an edit has faults', async () => {
    writeFileSync(configurationFile, 'models: [{id: openai/o3, name: First}]\n');
    const { logger } = await start({ configurationFile });
    const told = jest.spyOn(logger, 'error');
    const name = async () => (await snapshot()).models.find(({ id }) => id === 'openai/o3')?.name;
    expect(await name()).toBe('First');

    writeFileSync(configurationFile, 'models: [{id: openai/o3, name: Second edit}]\n');
    await eventually(async () => (await name()) === 'Second edit');

    writeFileSync(configurationFile, 'models: [{id: openai/o3, nam: Faulty}]\n');
    await eventually(() => told.mock.calls.flat().some((each) => String(each).includes('cannot be used')));
    expect(await name()).toBe('Second edit');

    writeFileSync(configurationFile, 'models: [{id: openai/o3, name: Third and last}]\n');
    await eventually(async () => (await name()) === 'Third and last');
  });

  it('does not start with a faulty configuration file, and says where the fault is', async () => {
    writeFileSync(configurationFile, 'models:\n  - id: openai/o3\n    fallbacks: [openai/o33]\n');
    await expect(start({ configurationFile })).rejects.toThrow(
      /tollgate\.yaml:3:17: models\[0\]\.fallbacks\[0\]: there is no model openai\/o33; did you mean openai\/o3\?/,
    );
  });
});
