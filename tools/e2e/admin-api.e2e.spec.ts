import { accountsOperations, adminScopes, adminTokenOperations, type AdminScope } from '@tollgate/contracts';
import { answerJson, eventually, goodChat, startScriptedUpstream } from '@tollgate/testing';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { run } from '../cli/run';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const models = z.object({ data: z.array(z.object({ id: z.string(), fallbacks: z.array(z.string()) })) });
const lines = z.object({ data: z.array(z.object({ actor: z.string(), action: z.string() })) });

let test: TestStack;
beforeAll(async () => {
  const environment = { PROVIDER_PRIVATE_HOSTS: '127.0.0.1' };
  test = await startTestStack({ instances: { edge: 2, accounts: 2, inference: 2 }, layout: 'split', environment });
});
afterAll(() => test?.stop());

const edge = (number: number): string => test.stack.baseUrls[number] ?? '';

/** Runs a command line of the CLI; `remote`: from another machine, with an admin token. */
async function tollgate(commandLine: string, remote: string | null = null) {
  const environment =
    remote === null ? { NATS_URL: test.stack.natsUrl } : { TOLLGATE_URL: edge(0), TOLLGATE_TOKEN: remote };
  let out = '';
  let error = '';
  const write = { out: (text: string) => void (out += text), error: (text: string) => void (error += text) };
  const exitCode = await run(commandLine.split(' '), { environment, folder: '/', write });
  return { exitCode, out, error };
}

async function newToken(scopes: AdminScope[]): Promise<{ token: string; id: string }> {
  const { out } = await tollgate(`tokens create --name e2e --scopes ${scopes.join(',')} --json`);
  const { token, adminToken } = adminTokenOperations.create.reply.parse(JSON.parse(out));
  return { token, id: adminToken.id };
}

function ask(
  url: string,
  bearer: string,
  body?: object,
  headers: Record<string, string> = {},
  method = body ? 'POST' : 'GET',
): Promise<Response> {
  return fetch(url, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const put = (url: string, bearer: string, body: object) => ask(url, bearer, body, {}, 'PUT');

const modelsStatus = async (number: number, apiKey: string): Promise<number> =>
  (await ask(`${edge(number)}/v1/models`, apiKey)).status;

it('makes a key that works at once at every edge, and stops it at every edge', async () => {
  const { token } = await newToken(['keys:write']);
  const made = await ask(`${edge(0)}/api/admin/v1/keys`, token, { name: 'machine' });
  expect(made.status).toBe(201);
  const { apiKey, key } = accountsOperations.createKey.reply.parse(await made.json());
  expect(await Promise.all([modelsStatus(0, apiKey), modelsStatus(1, apiKey)])).toEqual([200, 200]);
  expect((await ask(`${edge(1)}/api/admin/v1/keys/${key.id}/revoke`, token, {})).status).toBe(200);
  await eventually(async () => (await modelsStatus(0, apiKey)) === 401 && (await modelsStatus(1, apiKey)) === 401);
  expect((await ask(`${edge(0)}/api/admin/v1/keys`, token)).status).toBe(403);
});

it('makes one key of two posts at once at two edges, also when an edge and accounts start anew', async () => {
  const { token } = await newToken(['keys:write', 'keys:read']);
  const headers = { 'idempotency-key': 'of-this-deployment' };
  const post = (number: number) => ask(`${edge(number)}/api/admin/v1/keys`, token, { name: 'only one' }, headers);
  const answers = await Promise.all([post(0), post(1), post(0), post(1)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(new Set(texts).size).toBe(1);
  const services = [test.stack.process('edge'), test.stack.process('accounts')];
  for (const service of services) service.kill('SIGKILL');
  for (const service of services) await service.ready();
  const again = await post(0);
  expect([await again.text(), again.headers.get('idempotent-replayed')]).toEqual([texts[0], 'true']);
  const listed = await ask(`${edge(1)}/api/admin/v1/keys?limit=500`, token);
  expect((await listed.text()).match(/"only one"/g)).toHaveLength(1);
});

it('opens nothing any more with a token that was revoked, and nothing at all with an API key', async () => {
  const { token, id } = await newToken(['keys:read']);
  const url = `${edge(1)}/api/admin/v1/keys`;
  expect((await ask(url, token)).status).toBe(200);
  expect((await tollgate(`tokens revoke ${id}`)).exitCode).toBe(0);
  expect((await ask(url, token)).status).toBe(401);
  const { apiKey } = await test.stack.createKey({ name: 'caller' });
  expect((await ask(url, apiKey)).status).toBe(401);
  expect(await modelsStatus(0, token)).toBe(401);
});

it('answers the CLI of another machine as the one beside the gateway', async () => {
  const { token } = await newToken([...adminScopes]);
  const done = async (commandLine: string): Promise<string> => {
    const { exitCode, out, error } = await tollgate(commandLine, token);
    expect({ commandLine, exitCode, error }).toEqual({ commandLine, exitCode: 0, error: '' });
    return out;
  };
  const made = await done('keys create --name remote --rpm 5 --models openai/* --expires 30d --json');
  const { key } = accountsOperations.createKey.reply.parse(JSON.parse(made));
  expect(key).toMatchObject({ name: 'remote', rpm: 5, models: ['openai/*'] });
  await done(`keys rotate ${key.id} --overlap 1h`);
  await done('accounts request --name Ada --email ada@example.com');
  await done('accounts approve ada@example.com --plan pro');
  await done('budgets create --account ada@example.com --name month --limit 25 --window month');
  await done('webhooks create --name ops --url https://example.com/hook');
  await done('models off openai/gpt-5.4-mini');
  await done('models on openai/gpt-5.4-mini');
  for (const list of [
    'keys list',
    'accounts list',
    'budgets list',
    'webhooks list',
    'dead-letters list',
    'plans list',
    'audit list',
    'reconcile',
  ])
    // What changes by itself, as a time that has passed, may do so between the two.
    await eventually(
      async () => [await tollgate(list, token), await tollgate(list)],
      ([far, near]) => isDeepStrictEqual(far, near),
    );
  const fallbacks = async (number: number) => {
    const { data } = models.parse(await (await ask(`${edge(number)}/api/admin/v1/models`, token)).json());
    return data.find(({ id }) => id === 'openai/gpt-5.4-mini')?.fallbacks;
  };
  const before = await fallbacks(1);
  const settings = join(test.stack.dataFolder, 'settings.yaml');
  await writeFile(settings, 'models: [{ id: openai/gpt-5.4-mini, fallbacks: [openai/o3] }]\n');
  await done(`config apply ${settings} --reason e2e`);
  for (const number of [0, 1]) await eventually(async () => isDeepStrictEqual(await fallbacks(number), ['openai/o3']));
  const late = await put(`${edge(1)}/api/admin/v1/config`, token, { document: '', version: 0 });
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('of version 1 now')]);
  const faulty = await put(`${edge(1)}/api/admin/v1/config`, token, { document: 'contentLog: {}', version: 1 });
  expect([faulty.status, await faulty.text()]).toEqual([
    400,
    expect.stringContaining('what is logged stands in tollgate.yaml'),
  ]);
  await done('config rollback 0');
  for (const number of [0, 1]) await eventually(async () => isDeepStrictEqual(await fallbacks(number), before));
  const { data } = lines.parse(await (await ask(`${edge(1)}/api/admin/v1/audit?limit=14`, token)).json());
  expect(data.filter(({ actor }) => actor.startsWith('token:e2e (')).map(({ action }) => action)).toEqual([
    ...['settings-rollback-asked', 'settings-change-asked', 'settings-change-asked', 'settings-change-asked'],
    ...['model-enabled', 'model-disabled', 'webhook-created', 'budget-created', 'account-changed', 'access-requested'],
    ...['key-rotated', 'key-created'],
  ]);
  const refused = await tollgate('mails list', token);
  expect([refused.exitCode, refused.error]).toEqual([1, expect.stringContaining('not in the admin API')]);
});

it('adds a provider, asks it with its key at once, changes the key, and takes it away again, without a restart', async () => {
  const { token } = await newToken(['config:read', 'config:write', 'provider-keys:write', 'audit:read', 'keys:write']);
  const made = await ask(`${edge(0)}/api/admin/v1/keys`, token, { name: 'caller of a live provider' });
  const { apiKey } = accountsOperations.createKey.reply.parse(await made.json());
  const provider = await startScriptedUpstream((visit) =>
    visit.path.endsWith('/models')
      ? answerJson(visit, 200, JSON.stringify({ data: [{ id: 'tiny' }] }))
      : goodChat()(visit),
  );
  const live = `${edge(0)}/api/admin/v1/providers`;
  const answered = async (number: number) => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const answer = await ask(`${edge(number)}/v1/chat/completions`, apiKey, { model: 'live/tiny', messages });
    await answer.text();
    return answer.status;
  };
  /** The keys that it was asked for a completion with. */
  const seen = () =>
    provider.visits.flatMap(({ path, headers }) => (path.endsWith('/completions') ? [headers.authorization] : []));
  const askedWith = (key: string) =>
    eventually(async () => (await answered(1)) === 200 && seen().at(-1) === `Bearer ${key}`);
  try {
    const address = { baseUrl: `${provider.url}/v1`, reason: 'a trial' };
    const set = await ask(`${live}/live`, token, address, {}, 'PATCH');
    expect([set.status, await set.json()]).toMatchObject([
      200,
      { provider: { problem: expect.stringContaining('its key main is not there') } },
    ]);
    expect([await answered(0), provider.visits.length]).toEqual([404, 0]);
    const elsewhere = { key: 'sk-first-live', baseUrl: 'https://elsewhere.example/v1' };
    expect((await put(`${live}/live/keys/main`, token, elsewhere)).status).toBe(409);
    const told = await put(`${live}/live/keys/main`, token, { key: 'sk-first-live', baseUrl: address.baseUrl });
    expect([told.status, await told.json()]).toMatchObject([
      200,
      { provider: { problem: null, keys: [{ name: 'main', lastFour: 'live' }] } },
    ]);
    await askedWith('sk-first-live');
    await put(`${live}/live/keys/main`, token, { key: 'sk-second-live' });
    await askedWith('sk-second-live');

    const remote = await tollgate('providers list', token);
    expect([remote.exitCode, remote.out]).toEqual([0, expect.stringMatching(/live .*yes .*main …live \(token:e2e/)]);
    const audit = await (await ask(`${edge(0)}/api/admin/v1/audit`, token)).text();
    for (const action of ['provider-change-asked', 'provider-key-asked']) expect(audit).toContain(action);
    for (const shown of [remote.out, audit]) expect(shown).not.toMatch(/sk-(first|second)-live/);

    expect((await ask(`${live}/live/keys/main`, token, undefined, {}, 'DELETE')).status).toBe(200);
    await eventually(async () => (await answered(1)) === 404);
    expect((await ask(`${live}/live`, token, {}, {}, 'DELETE')).status).toBe(200);
    expect((await tollgate('providers list', token)).out).toContain('No provider is set without tollgate.yaml.');
    await eventually(async () => (await answered(0)) === 404);
  } finally {
    await provider.stop();
  }
});
