import { noUsage, uuidv7, type UsageEvent } from '@tollgate/contracts';
import { accountsOperations, adminScopes, adminTokenOperations, type AdminScope } from '@tollgate/contracts/accounts';
import { clockBoundMs, setFactorOperations } from '@tollgate/contracts/catalog';
import { ledgerOperations } from '@tollgate/contracts/metering';
import { connectToNats, UsagePublisher } from '@tollgate/messaging';
import { answerJson, eventually, goodChat, startScriptedUpstream } from '@tollgate/testing';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { run } from '../cli/run';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const models = z.object({ data: z.array(z.object({ id: z.string(), fallbacks: z.array(z.string()) })) });
const chatAnswer = z.object({ usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }) });
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
    'tokens list',
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
  await done('mails list');
  const refused = await tollgate('reconcile --read', token);
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

it('sets a price, and with it a new model, at every edge and over starts without a restart, and removes the model', async () => {
  const { token } = await newToken(['config:read', 'config:write', 'keys:write']);
  const made = await ask(`${edge(0)}/api/admin/v1/keys`, token, { name: 'caller of a new model' });
  const { apiKey } = accountsOperations.createKey.reply.parse(await made.json());
  const model = 'openai/ours';
  const prices = { input: '1.234567', output: '7.654321' };
  const answered = async (number: number, name: string) => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const answer = await ask(`${edge(number)}/v1/chat/completions`, apiKey, { model: name, messages });
    await answer.text();
    return answer.status;
  };
  /** Every instance of both, since requests go to either inference. */
  const everywhere = (status: number) =>
    eventually(async () => {
      const names = [model, 'ours', model, 'ours'];
      const asked = [0, 1].flatMap((number) => names.map((name) => answered(number, name)));
      const listed = await Promise.all([0, 1].map((number) => ask(`${edge(number)}/v1/models`, apiKey)));
      const lists = await Promise.all(listed.map((answer) => answer.text()));
      const isListed = lists.every((list) => list.includes(`"${model}"`) === (status === 200));
      return isListed && (await Promise.all(asked)).every((each) => each === status);
    });
  const set = await ask(`${edge(0)}/api/admin/v1/prices`, token, { model, prices });
  expect([set.status, await set.json()]).toMatchObject([200, { applied: true, isKnown: false }]);
  const settings = join(test.stack.dataFolder, 'models.yaml');
  const entry = { id: model, provider: 'openai', upstreamModel: 'gpt-5.4-nano', aliases: ['ours'] };
  await writeFile(settings, JSON.stringify({ models: [entry] }));
  expect((await tollgate(`config apply ${settings}`, token)).exitCode).toBe(0);
  await everywhere(200);
  const services = ['edge', 'inference', 'catalog'].map((name) => test.stack.process(name));
  for (const service of services) service.kill('SIGKILL');
  for (const service of services) await service.ready();
  await everywhere(200);

  const from = Date.now() + 2 * clockBoundMs;
  const asked = { model, prices: { input: '2', output: '9' }, from, reason: 'a contract' };
  // A catalog that has begun anew writes the prices that it comes with first, and says 503 meanwhile.
  const looked = await eventually(
    () => ask(`${edge(1)}/api/admin/v1/prices`, token, { ...asked, dryRun: true }),
    ({ status }) => status !== 503,
    10_000,
  );
  expect([looked.status, await looked.json()]).toMatchObject([200, { applied: false, setPrice: null }]);
  expect((await ask(`${edge(1)}/api/admin/v1/prices`, token, asked)).status).toBe(200);
  const again = await ask(`${edge(0)}/api/admin/v1/prices`, token, asked);
  expect([again.status, await again.json()]).toMatchObject([200, { applied: false, setPrice: { from } }]);
  const early = await ask(`${edge(0)}/api/admin/v1/prices`, token, { ...asked, from: from - 2 * clockBoundMs });
  expect([early.status, await early.text()]).toEqual([400, expect.stringContaining('5 minutes')]);
  const remote = await tollgate('prices history openai/ours', token);
  expect([remote.exitCode, remote.out]).toEqual([0, expect.stringMatching(/token:e2e.* a contract/)]);

  // What starts a moment before the instant, and at it, as metering gets it: to the nano-dollar.
  expect(await charged(model, [from - 1, from, from + 1])).toEqual(['54816049', '65002000', '65002000']);

  expect((await tollgate('config rollback 0', token)).exitCode).toBe(0);
  await everywhere(404);
});

it('sets a discount and a markup of a deployment that is to come, by which both edges charge to the nano-dollar', async () => {
  const { token } = await newToken(['config:read', 'config:write', 'keys:write']);
  const made = await ask(`${edge(0)}/api/admin/v1/keys`, token, { name: 'caller of a deployment with terms' });
  const { apiKey } = accountsOperations.createKey.reply.parse(await made.json());
  const [model, deployment] = ['openai/agreed', 'agreed-at-openai'];
  const prices = { input: '1.234567', output: '7.654321' };
  expect((await ask(`${edge(0)}/api/admin/v1/prices`, token, { model, prices })).status).toBe(200);
  const set = await tollgate(`factors set ${deployment} --discount 0.15 --markup 0.2 --reason contract`, token);
  expect([set.exitCode, set.out]).toEqual([0, expect.stringContaining('this is for one that is to come')]);
  const settings = join(test.stack.dataFolder, 'agreed.yaml');
  const places = [{ id: deployment, provider: 'openai', upstreamModel: 'gpt-5.4-nano' }];
  await writeFile(settings, JSON.stringify({ models: [{ id: model, provider: 'openai', deployments: places }] }));
  expect((await tollgate(`config apply ${settings}`, token)).exitCode).toBe(0);

  const messages = [{ role: 'user', content: 'Hello' }];
  for (const number of [0, 1]) {
    const id = `agreed-${number}`;
    const answer = await eventually(
      () => ask(`${edge(number)}/v1/chat/completions`, apiKey, { model, messages }, { 'x-request-id': id }),
      ({ status }) => status === 200,
    );
    const { usage } = chatAnswer.parse(await answer.json());
    const { events } = await eventually(
      () => test.stack.call(ledgerOperations.explain, { id }).catch(() => ({ events: [] })),
      (told) => told.events.length > 0,
    );
    const sum = BigInt(usage.prompt_tokens) * 1_234_567n + BigInt(usage.completion_tokens) * 7_654_321n;
    const net = sum - (sum * 150_000n + 500_000n) / 1_000_000n;
    const picos = net + (net * 200_000n + 500_000n) / 1_000_000n;
    expect(events.map(({ storedNanoUsd }) => storedNanoUsd)).toEqual([String((picos + 500n) / 1_000n)]);
  }

  const from = Date.now() + 2 * clockBoundMs;
  const asked = { deployment, factors: null, from };
  expect((await ask(`${edge(1)}/api/admin/v1/price-factors`, token, asked)).status).toBe(200);
  const list = await ask(`${edge(0)}/api/admin/v1/price-factors`, token);
  const told = { deployment, origin: 'settings', factors: { discount: '0.15', markup: '0.2' } };
  expect(await list.json()).toMatchObject({ data: [{ ...told, next: [{ from, factors: null }] }] });
  const history = JSON.parse((await tollgate(`factors history ${deployment} --json`)).out);
  const { factors } = setFactorOperations.history.reply.pick({ factors: true }).parse(history);
  expect((await tollgate(`factors withdraw ${factors[0]?.id ?? ''}`, token)).exitCode).toBe(0);
  expect((await tollgate('factors list', token)).out).not.toContain('from ');
  expect((await tollgate('config rollback 0', token)).exitCode).toBe(0);
});

it('sets a guardrail that every edge obeys, changes it, and takes it away again, without a restart', async () => {
  const { token } = await newToken(['config:read', 'config:write', 'keys:write', 'audit:read']);
  const made = await ask(`${edge(0)}/api/admin/v1/keys`, token, { name: 'caller of what is guarded' });
  const { apiKey } = accountsOperations.createKey.reply.parse(await made.json());
  const [model, messages] = ['openai/gpt-5.4-mini', [{ role: 'user', content: 'Say purple river' }]];
  const everywhere = (status: number) =>
    eventually(async () => {
      const asked = [0, 1].map((number) => ask(`${edge(number)}/v1/chat/completions`, apiKey, { model, messages }));
      const answers = await Promise.all(asked);
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      const isBlocked = texts.every((text) => text.includes('"guardrail":"no-rivers"') === (status === 400));
      return isBlocked && answers.every((answer) => answer.status === status);
    });
  const set = await tollgate('guardrails set no-rivers --pattern purple\\s+river --action block --new', token);
  expect([set.exitCode, set.out]).toEqual([0, expect.stringContaining('+ guardrails no-rivers')]);
  await everywhere(400);
  const guardrail = { id: 'no-rivers', kind: 'regex', patterns: ['purple river'], appliesTo: 'both', action: 'flag' };
  const again = await put(`${edge(1)}/api/admin/v1/guardrails`, token, { guardrail, mustBeNew: true });
  expect([again.status, await again.text()]).toEqual([409, expect.stringContaining('a guardrail no-rivers already')]);
  expect((await put(`${edge(1)}/api/admin/v1/guardrails`, token, { guardrail })).status).toBe(200);
  await everywhere(200);
  expect((await tollgate('guardrails list')).out).toMatch(/^no-rivers +settings +in force .*action="flag"/m);
  expect((await tollgate('guardrails remove no-rivers', token)).exitCode).toBe(0);
  const gone = await ask(`${edge(0)}/api/admin/v1/guardrails/remove`, token, { guardrail: 'no-rivers' });
  expect(gone.status).toBe(404);
  const audit = await (await ask(`${edge(0)}/api/admin/v1/audit`, token)).text();
  for (const action of ['guardrail-change-asked', 'guardrail-removal-asked']) expect(audit).toContain(action);
});

/** What the ledger charges for 1,001 tokens in and 7,000 out that started at these instants, nano-dollars. */
async function charged(model: string, instants: number[]): Promise<(string | null)[]> {
  const connection = await connectToNats({ url: test.stack.natsUrlOf('inference'), name: 'e2e' });
  const publisher = new UsagePublisher(connection);
  const events = instants.map((startedAt): UsageEvent => {
    const id = uuidv7();
    return {
      ...{ id, requestId: id, keyId: 'e2e', accountId: 'e2e', requestedModel: model, model, surface: 'openai-chat' },
      ...{ stream: false, state: 'completed', status: 200, estimated: false, lease: null, reportedBy: 'inference' },
      ...{ usage: { ...noUsage, input: 1_001, output: 7_000 }, firstTokenAt: null },
      ...{ startedAt, endedAt: startedAt + 10 },
      attempts: [{ deployment: model, provider: 'openai', status: 200, error: null, latencyMs: 10 }],
    };
  });
  try {
    for (const event of events) publisher.publish(event);
    expect(await publisher.flush(30_000)).toBe(true);
    const explained = await eventually(
      () => Promise.all(events.map(({ id }) => test.stack.call(ledgerOperations.explain, { id }).catch(() => null))),
      (found) => found.every((each) => each !== null),
    );
    return explained.map((each) => {
      const [event] = each?.events ?? [];
      expect(event?.computedNanoUsd).toBe(event?.storedNanoUsd);
      return event?.storedNanoUsd ?? null;
    });
  } finally {
    publisher.close();
    await connection.close();
  }
}
