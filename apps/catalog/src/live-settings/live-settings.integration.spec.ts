import 'reflect-metadata';
import type { Operation } from '@tollgate/contracts';
import {
  catalogOperations,
  catalogSubjects,
  planOperations,
  setGuardrailOperations,
  setModelOperations,
  setPriceOperations,
  settingsOperations,
} from '@tollgate/contracts/catalog';
import { createCatalogDatabase } from '@tollgate/database/catalog';
import { startMigratedPostgres } from '@tollgate/database/testing';
import { connectToNats, ControlClient } from '@tollgate/messaging';
import { Service } from '@tollgate/service';
import { eventually, patience, startNatsServer, type NatsServer, type PostgresServer } from '@tollgate/testing';
import type { NatsConnection } from 'nats';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { catalog } from '../catalog.module';
import { LiveCatalog } from '../live-catalog';
import { CatalogSettings } from '../settings';

const by = 'cli:ada';
const model = 'openai/gpt-5.4-mini';
const withFallback = (fallback: string) => `# Ours\nmodels:\n  - id: ${model}\n    fallbacks: [${fallback}]\n`;

let nats: NatsServer;
let postgres: PostgresServer;
let connection: NatsConnection;
let folder: string;
let instances: Service<CatalogSettings>[];
const ports = new Map<unknown, number>();

const start = async (): Promise<Service<CatalogSettings>> => {
  const settings = new CatalogSettings({
    NATS_URL: nats.url,
    DATABASE_URL: postgres.url,
    LOG_LEVEL: 'silent',
    INTERNAL_PORT: '0',
    TOLLGATE_CONFIG: join(folder, 'tollgate.yaml'),
  });
  const service = new Service(catalog, settings);
  ports.set(service, await service.start());
  return service;
};
const ask = <Request extends z.ZodType, Reply extends z.ZodType>(
  operation: Operation<Request, Reply>,
  asked: z.input<Request>,
) => new ControlClient(connection).call(operation, asked, { timeoutMs: 5_000 * patience });
const fallbacksAt = (instance: Service<CatalogSettings> | undefined) =>
  instance?.get(LiveCatalog).snapshot.models.find(({ id }) => id === model)?.fallbacks;
const everywhere = (fallbacks: readonly string[]) =>
  eventually(() => instances.every((instance) => JSON.stringify(fallbacksAt(instance)) === JSON.stringify(fallbacks)));

beforeAll(async () => {
  [nats, postgres] = await Promise.all([startNatsServer(), startMigratedPostgres()]);
  connection = await connectToNats({ url: nats.url, name: 'test' });
  folder = mkdtempSync(join(tmpdir(), 'tollgate-settings-'));
  writeFileSync(join(folder, 'tollgate.yaml'), 'models: [{id: openai/o3, name: Of the file}]\n');
  instances = await Promise.all([start(), start()]);
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.stop()));
  await connection.close();
  await Promise.all([nats.stop(), postgres.stop()]);
  rmSync(folder, { recursive: true });
});

it('come into force at every instance without a restart, are told by a new revision, and are taken back', async () => {
  const before = fallbacksAt(instances[0]) ?? [];
  expect(await ask(settingsOperations.show, {})).toMatchObject({ version: 0, document: '', setBy: null, inForce: 0 });
  const revisions: number[] = [];
  const heard = connection.subscribe(catalogSubjects.changed, {
    callback: (_, message) => revisions.push(message.json<{ revision: number }>().revision),
  });
  await connection.flush();
  const was = Math.max(...instances.map((instance) => instance.get(LiveCatalog).snapshot.revision));

  const document = withFallback('openai/gpt-5.4-nano');
  expect(await ask(settingsOperations.apply, { document, version: 0, reason: 'outage', by })).toMatchObject({
    ...{ version: 1, applied: true, inForce: 1 },
    changes: [{ section: 'models', id: model, what: 'added' }],
  });
  await everywhere(['openai/gpt-5.4-nano']);
  await eventually(() => revisions.some((revision) => revision > was));
  heard.unsubscribe();
  const shown = await eventually(
    () => ask(settingsOperations.show, {}),
    ({ inForce }) => inForce === 1,
  );
  expect(shown).toMatchObject({ version: 1, document, setBy: by, reason: 'outage' });
  expect(shown.entries).toEqual([
    { section: 'models', id: 'openai/o3', origin: 'file', standing: 'in-force', problem: null },
    { section: 'models', id: model, origin: 'settings', standing: 'in-force', problem: null },
  ]);

  // The same again is no version.
  expect(await ask(settingsOperations.apply, { document, version: 1, by })).toMatchObject({ applied: false });
  await ask(settingsOperations.apply, { document: withFallback('openai/o3'), version: 1, by });
  await everywhere(['openai/o3']);

  expect(await ask(settingsOperations.rollBack, { to: 1, by })).toMatchObject({ version: 3, applied: true });
  await everywhere(['openai/gpt-5.4-nano']);
  expect(await ask(settingsOperations.rollBack, { to: 0, version: 3, reason: 'enough', by })).toMatchObject({
    version: 4,
  });
  await everywhere(before);
  const { versions, next } = await ask(settingsOperations.history, { limit: 3 });
  expect(versions.map(({ version, reason }) => [version, reason])).toEqual([
    [4, 'enough'],
    [3, 'roll-back to version 1'],
    [2, null],
  ]);
  expect(next).toBe(2);
  const rest = await ask(settingsOperations.history, { limit: 3, after: 2 });
  expect(rest).toMatchObject({ versions: [{ version: 1, setBy: by, reason: 'outage' }], next: null });
  expect(await ask(settingsOperations.find, { version: 1 })).toMatchObject({ settings: { document } });
});

it('are not taken back by a document that is empty, unless that is said', async () => {
  const { version: before } = await ask(settingsOperations.show, {});
  const document = withFallback('openai/o3');
  const { version } = await ask(settingsOperations.apply, { document, version: before, by });
  const empty = { document: ' \n', version, by };
  for (const nothing of [' \n', '# version 4\n', 'null', '---\n', '~', 'models:\n', 'models: []\n'])
    for (const dryRun of [true, false])
      await expect(ask(settingsOperations.apply, { ...empty, document: nothing, dryRun })).rejects.toMatchObject({
        ...{ code: 'invalid', message: expect.stringMatching(/^document: is empty, .* give \{\}, or roll back/) },
      });
  expect(await ask(settingsOperations.show, {})).toMatchObject({ version, document });
  const taken = await ask(settingsOperations.apply, { ...empty, takesAllBack: true });
  expect(taken).toMatchObject({ version: version + 1, applied: true, changes: [{ what: 'removed' }] });
  // Where nothing is set, nothing is taken back.
  const same = { ...empty, version: version + 1, dryRun: true };
  expect(await ask(settingsOperations.apply, same)).toMatchObject({ applied: false, changes: [] });
  await ask(settingsOperations.rollBack, { to: version, by });
  const braces = { document: '# all of it\n{}\n', version: version + 2, by };
  expect(await ask(settingsOperations.apply, braces)).toMatchObject({ applied: true, changes: [{ what: 'removed' }] });
  const after = { ...empty, version: version + 3, dryRun: true };
  expect(await ask(settingsOperations.apply, after)).toMatchObject({ applied: false, changes: [] });
});

it('are refused where they do not fit, where somebody else was faster, and where there is no such version', async () => {
  const { version } = await ask(settingsOperations.show, {});
  const apply = (document: string, from = version) => ask(settingsOperations.apply, { document, version: from, by });
  await expect(apply('models: [{id: openai/o3, name: Mine}]')).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('models[0]: openai/o3 stands in tollgate.yaml: change it there'),
  });
  await expect(apply(withFallback('openai/nobody'))).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('settings:4:17: models[0].fallbacks[0]: there is no model openai/nobody'),
  });
  await expect(ask(settingsOperations.rollBack, { to: 99, by })).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask(settingsOperations.find, { version: 2 ** 31 })).rejects.toMatchObject({ code: 'invalid' });
  await expect(ask(settingsOperations.rollBack, { to: 1, version: 0, by })).rejects.toMatchObject({ code: 'outdated' });
  expect(
    await ask(settingsOperations.apply, { document: withFallback('openai/o3'), version, dryRun: true, by }),
  ).toMatchObject({ version, applied: false, changes: [{ id: model }] });
  const tried = { document: withFallback('openai/o3'), version: version - 1, dryRun: true, by };
  await expect(ask(settingsOperations.apply, tried)).rejects.toMatchObject({ code: 'outdated' });
  expect(await ask(settingsOperations.show, {})).toMatchObject({ version });

  const outcomes = await Promise.allSettled(
    ['openai/o3', 'openai/gpt-5.4', 'openai/gpt-5.4-nano'].map((fallback) => apply(withFallback(fallback))),
  );
  const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  expect(lost).toHaveLength(2);
  for (const error of lost) expect(error).toMatchObject({ code: 'outdated', message: expect.stringContaining(by) });
  await expect(apply('')).rejects.toMatchObject({ code: 'outdated' });
});

it('may keep an entry that moved to the file, which is passed over, and are taken back with it', async () => {
  const two = (more: string) => `models: [{id: ${model}, fallbacks: [openai/o3]}, {id: openai/gpt-5.4${more}}]`;
  const first = await ask(settingsOperations.show, {});
  const { version } = await ask(settingsOperations.apply, { document: two(''), version: first.version, by });
  const path = join(folder, 'tollgate.yaml');
  writeFileSync(path, `models: [{id: openai/o3, name: Of the file}, {id: ${model}, name: Of the file}]\n`);
  await eventually(() =>
    instances.every((instance) =>
      instance.get(LiveCatalog).settingsInForce.entries.some(({ standing }) => standing === 'overridden'),
    ),
  );
  const passedOver = [{ section: 'models', id: model, standing: 'overridden' }];
  const other = await ask(settingsOperations.apply, { document: two(', name: Ours'), version, by });
  expect(other).toMatchObject({ applied: true, passedOver });
  await expect(
    ask(settingsOperations.apply, { document: withFallback('openai/gpt-5.4'), version: other.version, by }),
  ).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('stands in tollgate.yaml') });
  const back = await ask(settingsOperations.rollBack, { to: version, by });
  expect(back).toMatchObject({ applied: true, passedOver });
  writeFileSync(path, 'models: [{id: openai/o3, name: Of the file}]\n');
  await everywhere(['openai/o3']);
});

it('have plans that are set one by one, beside what stands there, and taken back with the rest', async () => {
  const first = await ask(settingsOperations.show, {});
  const limits = { rpm: 9, tpm: null, quotaTokens: null, concurrency: 2, modelLimits: [] };
  const set = await ask(planOperations.set, { plan: 'team', ...limits, reason: 'a customer', by });
  expect(set).toMatchObject({ version: first.version + 1, changes: [{ section: 'plans', id: 'team', what: 'added' }] });
  expect(await ask(planOperations.set, { plan: 'team', ...limits, by })).toMatchObject({ applied: false });
  expect(await ask(planOperations.list, {})).toEqual({ version: set.version, plans: { team: limits }, unreadable: [] });
  const { document, reason } = await ask(settingsOperations.show, {});
  expect(document).toContain(`id: ${model}`);
  expect(reason).toBe('a customer');

  const path = join(folder, 'tollgate.yaml');
  writeFileSync(path, 'models: [{id: openai/o3, name: Of the file}]\nplans: {team: {rpm: 1, quotaTokens: 1}}\n');
  await eventually(() =>
    instances.every((instance) =>
      instance
        .get(LiveCatalog)
        .settingsInForce.entries.some(({ id, standing }) => id === 'team' && standing === 'overridden'),
    ),
  );
  await expect(ask(planOperations.set, { plan: 'team', ...limits, rpm: 8, by })).rejects.toMatchObject({
    ...{ code: 'invalid', message: expect.stringContaining('team stands in tollgate.yaml: change it there') },
  });
  writeFileSync(path, 'models: [{id: openai/o3, name: Of the file}]\n');
  await eventually(() =>
    instances.every((instance) =>
      instance.get(LiveCatalog).settingsInForce.entries.every(({ standing }) => standing === 'in-force'),
    ),
  );
  await expect(ask(planOperations.remove, { plan: 'team', version: set.version - 1, by })).rejects.toMatchObject({
    code: 'outdated',
  });
  await ask(planOperations.remove, { plan: 'team', by });
  expect((await ask(planOperations.list, {})).plans).toEqual({});
  await expect(ask(planOperations.remove, { plan: 'team', by })).rejects.toMatchObject({ code: 'not_found' });
  // A word that every object knows is no plan, and may be one.
  await expect(ask(planOperations.remove, { plan: 'constructor', by })).rejects.toMatchObject({ code: 'not_found' });
  await ask(planOperations.set, { plan: 'constructor', ...limits, by });
  await ask(planOperations.remove, { plan: 'constructor', by });
  await ask(settingsOperations.rollBack, { to: set.version, by });
  expect((await ask(planOperations.list, {})).plans).toEqual({ team: limits });
  await ask(settingsOperations.rollBack, { to: first.version, by });
});

it('add no plan in the place of one that there is, where it is to be new', async () => {
  const limits = { rpm: 1, tpm: null, quotaTokens: null, concurrency: null, modelLimits: [] };
  const first = await ask(settingsOperations.show, {});
  const add = (plan: string) => ask(planOperations.set, { plan, ...limits, mustBeNew: true, by });
  await expect(add('enterprise')).rejects.toMatchObject({
    ...{ code: 'conflict', message: 'There is a plan "enterprise" already. Choose another name, or change that plan.' },
  });
  expect(await add('constructor')).toMatchObject({ applied: true });
  await expect(add('constructor')).rejects.toMatchObject({ code: 'conflict' });
  expect(await ask(planOperations.set, { plan: 'constructor', ...limits, rpm: 2, by })).toMatchObject({
    applied: true,
  });
  await ask(settingsOperations.rollBack, { to: first.version, by });
});

it('have models that are set one by one, field by field, beside what stands there, and taken back', async () => {
  const first = await ask(settingsOperations.show, {});
  const { list, set, remove } = setModelOperations;
  const other = 'openai/gpt-5.4-nano';
  const entryOf = async (id: string) => (await ask(list, {})).models.find((each) => each.model === id);
  const priority = [{ provider: 'openai', upstreamModel: 'gpt-5.4-nano', priority: 1 }];
  const one = await ask(set, { model: other, fallbacks: ['openai/o3'], deployments: priority, reason: 'outage', by });
  expect(one).toMatchObject({ version: first.version + 1, changes: [{ section: 'models', id: other, what: 'added' }] });
  const two = await ask(set, { model: other, aliases: ['nano-of-ours'], unset: ['deployments'], by });
  expect(two.changes[0]?.fields.map(({ field }) => field).sort()).toEqual(['aliases', 'deployments']);
  expect(await ask(set, { model: other, aliases: ['nano-of-ours'], by })).toMatchObject({ applied: false });
  expect(await entryOf(other)).toEqual({
    ...{ model: other, origin: 'settings', standing: 'in-force', problem: null },
    said: { fallbacks: ['openai/o3'], aliases: ['nano-of-ours'] },
  });
  expect(await entryOf('openai/o3')).toMatchObject({ origin: 'file', said: null });
  await eventually(() =>
    instances.every((instance) =>
      instance.get(LiveCatalog).snapshot.models.some(({ aliases }) => aliases.includes('nano-of-ours')),
    ),
  );
  const { document } = await ask(settingsOperations.show, {});
  expect(document).toContain(`id: ${model}`);

  const refused = async (asked: Parameters<typeof ask<typeof set.request, typeof set.reply>>[1], told: object) =>
    expect(ask(set, asked)).rejects.toMatchObject(told);
  const says = (text: string) => ({ code: 'invalid', message: expect.stringContaining(text) as string });
  await refused({ model: 'openai/o3', name: 'Mine', by }, says('openai/o3 stands in tollgate.yaml: change it there'));
  await refused({ model: other, fallbacks: ['openai/nobody'], by }, says('there is no model openai/nobody'));
  await refused({ model: 'acme/new', provider: 'openai', by }, says('needs a price first (tollgate prices set'));
  await refused({ model: other, mustBeNew: true, by }, { code: 'conflict' });
  await refused({ model: other, name: 'Late', version: one.version, by }, { code: 'outdated' });
  const price = { input: '1', output: '2' };
  await ask(setPriceOperations.set, { model: 'acme/new', prices: price, by });
  await ask(set, { model: 'acme/new', provider: 'openai', upstreamModel: 'gpt-5.4-nano', mustBeNew: true, by });
  await ask(set, { model: other, fallbacks: ['acme/new'], by });
  await expect(ask(remove, { model: 'acme/new', by })).rejects.toMatchObject(says('there is no model acme/new'));

  await ask(remove, { model: other, by });
  await ask(remove, { model: 'acme/new', by });
  expect(await entryOf(other)).toBeUndefined();
  await expect(ask(remove, { model: other, by })).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask(remove, { model: 'openai/o3', by })).rejects.toMatchObject({
    ...{ code: 'not_found', message: expect.stringContaining('It stands in tollgate.yaml: change it there.') },
  });
  await ask(settingsOperations.rollBack, { to: first.version, by });
});

it('have guardrails that are set as a whole one by one, and taken out, with what else they say left alone', async () => {
  const first = await ask(settingsOperations.show, {});
  const { list, set, remove } = setGuardrailOperations;
  const hush = { id: 'hush', kind: 'regex' as const, patterns: ['hu+sh'], appliesTo: 'both' as const };
  const added = await ask(set, { guardrail: { ...hush, action: 'flag', models: ['openai/*'] }, mustBeNew: true, by });
  expect(added).toMatchObject({ version: first.version + 1, applied: true, changes: [{ what: 'added', id: 'hush' }] });
  const again = ask(set, { guardrail: { ...hush, action: 'flag' }, mustBeNew: true, by });
  await expect(again).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('guardrail hush') });
  await ask(set, { guardrail: { ...hush, action: 'block' }, by });
  await eventually(() =>
    instances.every((instance) => {
      const [one, ...others] = instance.get(LiveCatalog).snapshot.guardrails;
      return one?.id === 'hush' && one.action === 'block' && one.models.length === 0 && others.length === 0;
    }),
  );
  const said = { kind: 'regex', patterns: ['hu+sh'], appliesTo: 'both', action: 'block' };
  expect((await ask(list, {})).guardrails).toMatchObject([
    { id: 'hush', origin: 'settings', standing: 'in-force', said },
  ]);
  const same = await ask(set, { guardrail: { ...hush, action: 'block' }, by });
  expect(same).toMatchObject({ version: first.version + 2, applied: false });
  const broken = ask(set, { guardrail: { ...hush, id: 'broken', patterns: ['(?=a)'], action: 'flag' }, by });
  await expect(broken).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('pattern') });
  await ask(remove, { guardrail: 'hush', by });
  await expect(ask(remove, { guardrail: 'hush', by })).rejects.toMatchObject({ code: 'not_found' });
  await ask(settingsOperations.rollBack, { to: first.version, by });
});

it('have models and plans that are set, and taken back, at once, where nobody says of which version', async () => {
  const { version } = await ask(settingsOperations.show, {});
  const { set, remove } = setModelOperations;
  const limits = { rpm: 1, tpm: null, quotaTokens: null, concurrency: null, modelLimits: [] };
  const others = ['openai/gpt-5.4-nano', 'openai/gpt-5.4'];
  await Promise.all([
    ...others.map((other) => ask(set, { model: other, aliases: [`${other}-of-ours`], by })),
    ...['one', 'two'].map((plan) => ask(planOperations.set, { plan, ...limits, by })),
  ]);
  expect(await ask(settingsOperations.show, {})).toMatchObject({ version: version + 4 });
  await Promise.all([
    ...others.map((other) => ask(remove, { model: other, by })),
    ...['one', 'two'].map((plan) => ask(planOperations.remove, { plan, by })),
  ]);
  expect(await ask(settingsOperations.show, {})).toMatchObject({ version: version + 8 });
  await ask(settingsOperations.rollBack, { to: version, by });
});

it('are told to nobody while a guardrail of another release holds, which none may be without', async () => {
  const { version } = await ask(settingsOperations.show, {});
  const ready = async () => {
    const answer = await fetch(`http://127.0.0.1:${ports.get(instances[0])}/readyz`);
    return [answer.status, await answer.text()];
  };
  await eventually(async () => (await ready())[0] === 200);
  const database = createCatalogDatabase(postgres.url);
  const document = 'guardrails: [{id: one, kind: of-tomorrow, appliesTo: both, action: block}]';
  const row = { version: version + 1, document, setBy: by, setAt: new Date(), reason: null };
  await database.settingsVersion.create({ data: row });
  await database.$disconnect();
  await eventually(() => instances.every((instance) => !instance.get(LiveCatalog).areGuardrailsKnown));
  await expect(ask(catalogOperations.snapshot, {})).rejects.toMatchObject({ code: 'unavailable' });
  expect(await ready()).toEqual([503, expect.stringContaining('guardrails')]);
  const { entries } = await ask(settingsOperations.show, {});
  expect(entries.at(-1)).toMatchObject({ section: 'guardrails', id: 'one', standing: 'set-aside' });

  await ask(settingsOperations.rollBack, { to: version, by });
  await eventually(() => instances.every((instance) => instance.get(LiveCatalog).areGuardrailsKnown));
  expect(await ask(catalogOperations.snapshot, {})).toMatchObject({ guardrails: [] });
});

it('hold over a start while Postgres is away', async () => {
  const { version } = await ask(settingsOperations.show, {});
  await ask(settingsOperations.apply, { document: withFallback('openai/o3'), version, by });
  await everywhere(['openai/o3']);
  const kept = async () => (await connection.jetstream().views.kv('catalog')).get('reach');
  connection.publish(
    catalogSubjects.inferenceAnnouncement,
    JSON.stringify({ instance: 'one', providers: ['openai'], sandbox: false }),
  );
  await eventually(async () => (await kept())?.string().includes('fallbacks: [openai/o3]') === true);
  await postgres.stop();
  instances.push(await start());
  await everywhere(['openai/o3']);
  await expect(ask(settingsOperations.show, {})).rejects.toMatchObject({
    ...{ code: 'unavailable', message: 'The database of the catalog does not answer.' },
  });
  await expect(ask(settingsOperations.apply, { document: '', version, by })).rejects.toMatchObject({
    ...{ code: 'unavailable', message: expect.stringContaining('Look whether it was changed') },
  });
});
