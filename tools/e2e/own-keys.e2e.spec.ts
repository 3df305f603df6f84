import { accountsOperations, ownKeyOperations } from '@tollgate/contracts/accounts';
import { ledgerOperations } from '@tollgate/contracts/metering';
import { answerJson, eventually, goodChat, startScriptedUpstream, type ScriptedUpstream } from '@tollgate/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../cli/run';
import { Person } from '../prove/web/person';
import { faultsIn, startBrowser, violationsOf } from './browser';
import { filesOf, hits, metricsOf, tablesOf } from './places';
import { startTestStack, type TestStack } from './test-stack';
import { Visitors } from './visitors';

jest.setTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'tollgate-own-keys-'));
const password = 'a long enough password';
const email = 'ada@example.org';
const canary = (what: string) => `canary-${what}-${randomBytes(12).toString('hex')}`;
const secrets = {
  ...{ 'the first own key': canary('first'), 'the second own key': canary('second') },
  'the own key of a provider without another': canary('third'),
};
const { 'the first own key': first, 'the second own key': second } = secrets;
const { 'the own key of a provider without another': third } = secrets;
let upstream: ScriptedUpstream;
let test: TestStack;
let ada: Person;
/** API keys of the account that brings its own, and of another one. */
let hers: string;
let others: string;

const configuration = (url: string) => `
providers:
  - { id: acme, name: Acme, dialect: openai-chat, baseUrl: '${url}/v1', apiKeyEnv: ACME_API_KEY, queues: false }
  - { id: spare, name: Spare, dialect: openai-chat, baseUrl: '${url}/spare', apiKeyEnv: SPARE_API_KEY, queues: false }
  - { id: theirs, name: Theirs, dialect: openai-chat, baseUrl: '${url}/theirs', apiKeyEnv: THEIRS_API_KEY, queues: false }
models:
  - { id: theirs/tiny, provider: theirs, upstreamModel: tiny-1, prices: { input: '1', output: '2' } }
  - { id: acme/tiny, provider: acme, upstreamModel: tiny-1, prices: { input: '1', output: '2' }, fallbacks: [spare/tiny] }
  - { id: spare/tiny, provider: spare, upstreamModel: tiny-1, prices: { input: '1', output: '2' } }
`;

beforeAll(async () => {
  upstream = await startScriptedUpstream(goodChat());
  const config = join(folder, 'tollgate.yaml');
  writeFileSync(config, configuration(upstream.url));
  test = await startTestStack({
    instances: { edge: 2 },
    environment: {
      ...{ TOLLGATE_SANDBOX: 'off', TOLLGATE_CONFIG: config },
      ...{ ACME_API_KEY: 'the-operators-key', SPARE_API_KEY: 'the-operators-spare-key' },
    },
  });
  const { stack } = test;
  ada = await Person.signUp(stack, 'Ada', email, password, 'engines');
  await stack.call(accountsOperations.setAccountStatus, { account: email, status: 'active', plan: 'pro' });
  const [mine, theirs] = [{ email, name: 'hers' }, { name: 'others' }];
  hers = (await stack.createKey(mine)).apiKey;
  others = (await stack.createKey(theirs)).apiKey;
});
afterAll(async () => {
  await (test as typeof test | undefined)?.stop();
  await (upstream as typeof upstream | undefined)?.stop();
  rmSync(folder, { recursive: true });
});

function post(apiKey: string, { edge = 0, model = 'acme/tiny', requestId = randomUUID() } = {}): Promise<Response> {
  return fetch(`${test.stack.baseUrls[edge] ?? ''}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
}

/** The key that the provider saw last, after a request of this caller. */
async function keySeen(apiKey: string, edge = 0): Promise<string> {
  expect((await post(apiKey, { edge })).status).toBe(200);
  return String(upstream.visits.at(-1)?.headers.authorization).replace('Bearer ', '');
}

const give = (key: string) => ada.mustPost('/api/own-keys/acme', { key, baseUrl: `${upstream.url}/v1` });

it('sends the requests of an account with its own key, over every edge as soon as it was set, and nobody else’s', async () => {
  expect(await keySeen(hers)).toBe('the-operators-key');
  await give(first);
  for (const edge of [0, 1]) {
    await eventually(async () => (await keySeen(hers, edge)) === first);
    expect(await keySeen(others, edge)).toBe('the-operators-key');
  }
  await give(second);
  for (const edge of [0, 1]) await eventually(async () => (await keySeen(hers, edge)) === second);
  const { keys } = (await (await ada.ask('GET', '/api/own-keys')).json()) as { keys: object[] };
  expect(keys).toMatchObject([{ provider: 'acme', lastFour: second.slice(-4), setBy: email, problem: null }]);
});

it('charges nothing for them, and tells them apart in the ledger', async () => {
  const requestId = randomUUID();
  expect((await post(hers, { requestId })).status).toBe(200);
  const explain = () => test.stack.call(ledgerOperations.explain, { id: requestId }).catch(() => null);
  await eventually(async () => (await explain()) !== null);
  const [explained] = (await explain())?.events ?? [];
  expect(explained).toMatchObject({ storedNanoUsd: '0', computedNanoUsd: '0', lines: [] });
  expect(explained?.event.attempts).toMatchObject([{ provider: 'acme', ownKey: true }]);
  expect(explained?.event.usage.output).toBeGreaterThan(0);
  const log = await ada.ask(
    'GET',
    `/api/reports/requests?startAt=0&endAt=${Date.now() + 60_000}&provider=acme%20(own%20key)`,
  );
  expect(await log.text()).toContain('acme (own key)');
});

it('reaches a provider of which the operator has no key, for the account that brought one alone', async () => {
  const asked = { model: 'theirs/tiny' };
  const listed = async (apiKey: string) => {
    const response = await fetch(`${test.stack.baseUrls[0] ?? ''}/v1/models`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    return (await response.text()).includes('theirs/tiny');
  };
  expect([(await post(hers, asked)).status, await listed(hers)]).toEqual([404, false]);
  await ada.mustPost('/api/own-keys/theirs', { key: third, baseUrl: `${upstream.url}/theirs` });
  for (const edge of [0, 1]) await eventually(async () => (await post(hers, { ...asked, edge })).status === 200);
  expect(upstream.visits.at(-1)).toMatchObject({
    path: '/theirs/chat/completions',
    headers: { authorization: `Bearer ${third}` },
  });
  expect([await listed(hers), await listed(others), (await post(others, asked)).status]).toEqual([true, false, 404]);
});

it('goes with the key of its project where that has one, and with that of the account again', async () => {
  const { apiKey } = await test.stack.createKey({ email, name: 'checkout', project: 'checkout' });
  expect(await keySeen(apiKey)).toBe(second);
  await ada.mustPost('/api/own-keys/acme', { key: first, baseUrl: `${upstream.url}/v1`, project: 'checkout' });
  for (const edge of [0, 1]) {
    await eventually(async () => (await keySeen(apiKey, edge)) === first);
    expect(await keySeen(hers, edge)).toBe(second);
  }
  await ada.mustPost('/api/own-keys/acme/remove', { project: 'checkout' });
  for (const edge of [0, 1]) await eventually(async () => (await keySeen(apiKey, edge)) === second);
});

it('tells the account what its key is refused for, and asks nobody at the operator’s cost', async () => {
  const says = `{"error":{"message":"Incorrect API key provided: ${second}"}}`;
  upstream.script = (visit) =>
    visit.headers.authorization === `Bearer ${second}` ? answerJson(visit, 401, says) : goodChat()(visit);
  const before = upstream.visits.length;
  for (let times = 0; times < 10; times++) {
    const response = await post(hers);
    const { error } = (await response.json()) as { error: { message: string; details: object } };
    expect([response.status, error.details]).toEqual([401, expect.objectContaining({ reason: 'own_key_refused' })]);
    expect(error.message).toContain('Acme refused the key that your account brought for it (401)');
    expect(error.message).not.toContain(second);
  }
  expect(upstream.visits).toHaveLength(before + 10);
  expect(await keySeen(others)).toBe('the-operators-key');
  const problem = async () => {
    const { keys } = (await (await ada.ask('GET', '/api/own-keys')).json()) as { keys: { problem: string | null }[] };
    return keys[0]?.problem ?? null;
  };
  await eventually(async () => (await problem())?.includes('The provider refused the key at ') === true);
  expect(await problem()).not.toContain(second);
  upstream.script = goodChat();
  await post(hers);
  await eventually(async () => (await problem()) === null);
});

it('is brought, falls back or does not, and is removed in the dashboard, shown by its end, by who may', async () => {
  const browser = await startBrowser();
  try {
    const page = await new Visitors(browser, [test.stack.publicUrl]).next();
    await page.goto(`${test.stack.publicUrl}/sign-in`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    await page.goto(`${test.stack.publicUrl}/settings`);
    await page.getByText(`…${second.slice(-4)}`).waitFor();
    const fallsBack = page.getByText(/requests go on with the gateway’s key/);
    await page.getByRole('button', { name: 'Bring a key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Bring a key of a provider' });
    await dialog.getByLabel('Provider', { exact: true }).selectOption('spare');
    await dialog.getByLabel('Key', { exact: true }).fill(first);
    await dialog.getByLabel(/go on with the gateway’s own/).check();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Bring', exact: true }).click();
    await page.getByText(`…${first.slice(-4)}`).waitFor();
    await fallsBack.waitFor();
    expect(await faultsIn(page, 'own keys')).toEqual([]);
    // Brought again it takes the place of the one before, with its choice.
    await page.getByRole('button', { name: 'Bring a key' }).click();
    await dialog.getByLabel('Provider', { exact: true }).selectOption('spare');
    await dialog.getByText('It takes the place of your key of spare.').waitFor();
    expect(await dialog.getByLabel(/go on with the gateway’s own/).isChecked()).toBe(true);
    await dialog.getByLabel('Key', { exact: true }).fill(first);
    await dialog.getByRole('button', { name: 'Bring', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await fallsBack.waitFor();
    await page.getByRole('button', { name: 'Do not fall back from the key of spare' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Do not fall back', exact: true }).click();
    await page.getByRole('button', { name: 'Fall back from the key of spare', exact: true }).waitFor();
    await fallsBack.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove the key of spare' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText(`…${first.slice(-4)}`).waitFor({ state: 'detached' });
    const nothing = /there is nothing to go on with/;
    await page.getByRole('button', { name: 'Fall back from the key of theirs' }).click();
    await page.getByRole('dialog').getByText(nothing).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Replace the key of theirs' }).click();
    const replacing = page.getByRole('dialog', { name: 'Replace your key of theirs' });
    await replacing.getByLabel('Key', { exact: true }).fill(third);
    expect(await replacing.getByText(nothing).count()).toBe(0);
    await replacing.getByLabel(/go on with the gateway’s own/).check();
    await replacing.getByText(nothing).waitFor();
    expect(await faultsIn(page, 'nothing to fall back to')).toEqual([]);
    await replacing.getByRole('button', { name: 'Replace', exact: true }).click();
    await replacing.waitFor({ state: 'detached' });
    await page.getByText(nothing).waitFor();
    expect(await fallsBack.count()).toBe(0);
  } finally {
    await browser.close();
  }
});

it('is given by machines, listed and removed by the CLI, here and from another machine', async () => {
  const url = test.stack.baseUrls[0] ?? '';
  const tollgate = async (commandLine: string, environment: Record<string, string>) => {
    let out = '';
    const write = { out: (text: string) => void (out += text), error: (text: string) => void (out += text) };
    const exitCode = await run(commandLine.split(' '), { environment, folder: '/', write });
    return { exitCode, out };
  };
  const here = { NATS_URL: test.stack.natsUrl };
  const made = await tollgate('tokens create --name e2e --scopes accounts:read,own-keys:write --json', here);
  const { token } = JSON.parse(made.out) as { token: string };
  const put = (body: object, path = 'own-keys/spare') =>
    fetch(`${url}/api/admin/v1/accounts/${email}/${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await put({ key: first, baseUrl: 'https://elsewhere.example' })).status).toBe(409);
  expect((await put({ key: 'two words' })).status).toBe(400);
  const response = await put({ key: first });
  expect([response.status, await response.json()]).toEqual([
    200,
    { key: expect.objectContaining({ provider: 'spare', lastFour: first.slice(-4), problem: null }) },
  ]);
  expect((await put({ key: first, fallsBack: true }, 'projects/checkout/own-keys/spare')).status).toBe(200);
  const there = { TOLLGATE_URL: url, TOLLGATE_TOKEN: token };
  for (const environment of [here, there]) {
    const { out } = await tollgate(`own-keys list ${email}`, environment);
    for (const project of ['', 'checkout '])
      expect(out).toMatch(new RegExp(`spare +${project} *…${first.slice(-4)} +token:e2e`));
  }
  const chosen = await tollgate(`own-keys fall-back ${email} spare on`, there);
  expect(chosen).toEqual({ exitCode: 0, out: expect.stringMatching(/ yes\b/) });
  const { out: listed } = await tollgate(`own-keys list ${email} --json`, here);
  const told = JSON.parse(listed) as Record<'keys' | 'projectKeys', { provider: string; fallsBack: boolean }[]>;
  for (const keys of [told.keys, told.projectKeys])
    expect(keys).toContainEqual(expect.objectContaining({ provider: 'spare', fallsBack: true }));
  const theirs = await tollgate(`own-keys fall-back ${email} theirs on`, here);
  expect(theirs).toEqual({ exitCode: 0, out: expect.stringContaining('there is nothing to fall back to') });
  for (const whose of ['', ' --project checkout']) {
    const removed = await tollgate(`own-keys remove ${email} spare${whose}`, there);
    expect(removed).toEqual({ exitCode: 0, out: expect.stringContaining('removed') });
  }
});

it('lies in the clear nowhere, and is gone when it was removed', async () => {
  const told = await test.stack.call(ownKeyOperations.list, { account: email });
  await ada.mustPost('/api/own-keys/acme/remove', {});
  for (const edge of [0, 1]) await eventually(async () => (await keySeen(hers, edge)) === 'the-operators-key');
  const { stack } = test;
  const places = [...filesOf(stack), ...(await tablesOf(stack)), ...(await metricsOf(stack))];
  expect(hits([...places, { name: 'the list', content: JSON.stringify(told) }], secrets)).toEqual([]);
});
