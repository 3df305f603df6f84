import { decimalFromNanoUsd } from '@tollgate/contracts';
import { accountsOperations, ownKeyOperations } from '@tollgate/contracts/accounts';
import { budgetOperations, ledgerOperations, reportOperations } from '@tollgate/contracts/metering';
import { sealOwnKey } from '@tollgate/sealing';
import {
  answerJson,
  beginStream,
  eventually,
  goodChat,
  startScriptedUpstream,
  streamWords,
  type ScriptedUpstream,
  type UpstreamScript,
} from '@tollgate/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../cli/run';
import { startTestStack, type TestStack } from './test-stack';

jest.setTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'tollgate-own-keys-fall-back-'));
const email = 'ada@fall-back.example';
const own = 'the-key-of-the-account';
const operators = 'the-operators-key';
const dayMs = 86_400_000;
/** Dollars a million tokens, which are a thousand nano-dollars a token. */
const prices = { input: 1, output: 2 };
let upstream: ScriptedUpstream;
let test: TestStack;
let accountId: string;
let apiKey: string;

const configuration = (url: string) => `
providers:
  - { id: acme, name: Acme, dialect: openai-chat, baseUrl: '${url}/v1', apiKeyEnv: ACME_API_KEY, queues: false }
  - { id: theirs, name: Theirs, dialect: openai-chat, baseUrl: '${url}/theirs', apiKeyEnv: THEIRS_API_KEY, queues: false }
models:
  - { id: acme/tiny, provider: acme, upstreamModel: tiny-1, prices: { input: '${prices.input}', output: '${prices.output}' } }
  - { id: theirs/tiny, provider: theirs, upstreamModel: tiny-1, prices: { input: '1', output: '2' } }
`;

beforeAll(async () => {
  upstream = await startScriptedUpstream(goodChat());
  const config = join(folder, 'tollgate.yaml');
  writeFileSync(config, configuration(upstream.url));
  test = await startTestStack({
    environment: { TOLLGATE_SANDBOX: 'off', TOLLGATE_CONFIG: config, ACME_API_KEY: operators },
  });
  const { stack } = test;
  const { account } = await stack.call(accountsOperations.requestAccess, { name: email, email });
  accountId = account.id;
  const active = { account: accountId, status: 'active', plan: 'enterprise' } as const;
  await stack.call(accountsOperations.setAccountStatus, active);
  const made = await stack.createKey({ email, name: email, plan: 'enterprise', rpm: null, quotaTokens: null });
  apiKey = made.apiKey;
  for (const provider of ['acme', 'theirs']) await give(provider);
});
afterAll(async () => {
  await (test as typeof test | undefined)?.stop();
  await (upstream as typeof upstream | undefined)?.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => says(goodChat()));

/** Gives the account its key of a provider, which falls back. */
async function give(provider: string): Promise<void> {
  const { stack } = test;
  const { sealing, providers } = await stack.call(ownKeyOperations.list, { account: email });
  const baseUrl = providers.find(({ id }) => id === provider)?.baseUrl ?? '';
  if (!sealing) throw new Error('nothing to seal with');
  const sealed = sealOwnKey(accountId, provider, own, { sealing, baseUrl });
  await stack.call(ownKeyOperations.set, { account: email, provider, ...sealed, fallsBack: true });
}

/** What the provider says to the key of the account; to the operator's it answers. */
function says(script: UpstreamScript): void {
  upstream.script = (visit) => (keyOf(visit) === own ? script : goodChat())(visit);
}
const keyOf = ({ headers }: { headers: { authorization?: string } }) => headers.authorization?.replace('Bearer ', '');
const refuses = (status: number, error: object, headers = {}): UpstreamScript => {
  return (visit) => answerJson(visit, status, JSON.stringify({ error }), headers);
};
const wrongKey = refuses(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' });

const messages = [{ role: 'user', content: 'Hello' }];
const chat = 'chat/completions';
const surfaces: [string, object][] = [
  [chat, { messages }],
  ['messages', { messages, max_tokens: 50 }],
  ['responses', { input: 'Hello' }],
];

function post(path: string, body: object, requestId = randomUUID(), by = apiKey): Promise<Response> {
  return fetch(`${test.stack.baseUrls[0] ?? ''}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({ model: 'acme/tiny', ...body }),
  });
}

/** The keys that the provider is asked with while something is done. */
async function keysDuring<Result>(act: () => Promise<Result>): Promise<[Result, (string | undefined)[]]> {
  const before = upstream.visits.length;
  const result = await act();
  return [result, upstream.visits.slice(before).map(keyOf)];
}

/** The events of a request as soon as there are so many, in the order in which their tries began. */
async function eventsOf(requestId: string, count: number) {
  const explain = async () =>
    (await test.stack.call(ledgerOperations.explain, { id: requestId }).catch(() => null))?.events ?? [];
  await eventually(async () => (await explain()).length >= count);
  const isOwn = (event: Awaited<ReturnType<typeof explain>>[number]) => event.event.attempts.at(-1)?.ownKey === true;
  return (await explain()).toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)));
}

/**
 * Two events tell of a request: nothing for the own key, and the exact price for the operator's, in
 * nano-dollars.
 */
async function expectCharged(requestId: string): Promise<number> {
  const [first, second, ...more] = await eventsOf(requestId, 2);
  expect(more).toEqual([]);
  expect(first).toMatchObject({ storedNanoUsd: '0', event: { state: 'failed', usage: { input: 0, output: 0 } } });
  expect(first?.event.attempts.at(-1)).toMatchObject({ provider: 'acme', ownKey: true });
  const { usage, attempts, state } = second?.event ?? {};
  expect([state, attempts?.at(-1)?.provider, attempts?.at(-1)?.ownKey]).toEqual(['completed', 'acme', undefined]);
  const charge = ((usage?.input ?? 0) * prices.input + (usage?.output ?? 0) * prices.output) * 1_000;
  expect(charge).toBeGreaterThan(0);
  expect([second?.storedNanoUsd, second?.computedNanoUsd]).toEqual([String(charge), String(charge)]);
  return charge;
}

/** What the CLI prints as CSV, of which no cell has a comma. */
async function exported(commandLine: string): Promise<string[][]> {
  let printed = '';
  const write = { out: (text: string) => void (printed += text), error: (text: string) => void (printed += text) };
  const environment = { NATS_URL: test.stack.natsUrl };
  expect(await run(commandLine.split(' '), { environment, folder: '/', write })).toBe(0);
  return printed.split('\n').map((line) => line.split(','));
}

it.each([
  ['a wrong key', wrongKey, 'refused'],
  ['a key that may not', refuses(403, { message: 'Country not supported.' }), 'refused'],
  ['an empty account', refuses(429, { message: 'You exceeded your quota.', code: 'insufficient_quota' }), 'refused'],
  ['a limit', refuses(429, { message: 'Rate limit reached for requests.' }, { 'retry-after': '30' }), 'limited'],
])('goes on with the operator’s key, at its price, where the own one meets %s, and says so', async (_, script, met) => {
  says(script);
  const requestId = randomUUID();
  const [response, keys] = await keysDuring(() => post(chat, { messages }, requestId));
  expect([response.status, response.headers.get('x-tollgate-own-key')]).toEqual([200, met]);
  expect(response.headers.get('x-gateway-warnings')).toContain(`own key ${met}`);
  expect([keys[0], keys.at(-1), new Set(keys).size]).toEqual([own, operators, 2]);
  await response.text();
  await expectCharged(requestId);
});

it.each(surfaces)('does so on %s, streamed and not', async (path, body) => {
  says(wrongKey);
  for (const stream of [false, true]) {
    const requestId = randomUUID();
    const response = await post(path, { ...body, stream }, requestId);
    expect([response.status, response.headers.get('x-tollgate-own-key')]).toEqual([200, 'refused']);
    expect(await response.text()).not.toContain('"error":{');
    await expectCharged(requestId);
  }
});

it('does so for a response in the background, which is charged as one', async () => {
  says(wrongKey);
  const requestId = randomUUID();
  const begun = (await (await post('responses', { input: 'Hello', background: true }, requestId)).json()) as {
    id: string;
  };
  const status = async () => {
    const response = await fetch(`${test.stack.baseUrls[0] ?? ''}/v1/responses/${begun.id}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    return ((await response.json()) as { status: string }).status;
  };
  await eventually(async () => (await status()) === 'completed');
  await expectCharged(requestId);
});

it('is in reports by provider, and in the export for FinOps tools, once at the operator’s charge', async () => {
  says(wrongKey);
  const reported = await test.stack.createKey({ email, name: 'reported', plan: 'enterprise' });
  const keyId = reported.key.id;
  const requestId = randomUUID();
  expect((await post(chat, { messages }, requestId, reported.apiKey)).status).toBe(200);
  const charge = await expectCharged(requestId);
  const of = { keyIds: [keyId], startAt: Date.now() - dayMs, endAt: Date.now() + dayMs, step: 'day' as const };
  const { lines, totals } = await test.stack.call(reportOperations.series, { ...of, groupBy: 'provider' });
  expect(lines.toSorted((one, other) => one.name.localeCompare(other.name))).toMatchObject([
    { name: 'acme', totals: { requests: 1, costNanoUsd: String(charge) } },
    { name: 'acme (own key)', totals: { requests: 1, costNanoUsd: '0' } },
  ]);
  expect(totals).toMatchObject({ requests: 2, failed: 1, costNanoUsd: String(charge) });
  const [from, to] = [of.startAt, of.endAt].map((at) => new Date(at).toISOString().slice(0, 10));
  const [head = [], ...rows] = await exported(`usage export --from ${from} --to ${to} --format focus`);
  const cell = (row: string[], column: string) => row[head.indexOf(column)];
  const ofKey = rows.filter((row) => cell(row, 'ResourceId') === keyId);
  const billed = ofKey.map((row) => [cell(row, 'ProviderName'), cell(row, 'BilledCost')]);
  expect([ofKey.length, Object.fromEntries(billed)]).toEqual([
    2,
    { acme: decimalFromNanoUsd(BigInt(charge)), 'acme (own key)': decimalFromNanoUsd(0n) },
  ]);
});

it('costs nothing, and says nothing, where the own key is served', async () => {
  const requestId = randomUUID();
  const [response, keys] = await keysDuring(() => post(chat, { messages }, requestId));
  expect([response.status, response.headers.get('x-tollgate-own-key'), keys]).toEqual([200, null, [own]]);
  expect(await eventsOf(requestId, 1)).toMatchObject([{ storedNanoUsd: '0', event: { attempts: [{ ownKey: true }] } }]);
});

it('stays with what its provider fails of, before an answer and in it', async () => {
  says(refuses(500, { message: 'broken' }));
  const [failed, keys] = await keysDuring(() => post(chat, { messages }));
  expect([failed.status, new Set(keys)]).toEqual([502, new Set([own])]);
  says(async (visit) => {
    beginStream(visit);
    await streamWords(visit, ['Hel']);
    visit.response.destroy();
  });
  const [text, asked] = await keysDuring(async () => (await post(chat, { messages, stream: true })).text());
  expect([text.includes('[DONE]'), new Set(asked)]).toEqual([false, new Set([own])]);
});

it('counts once among the requests of a minute', async () => {
  says(wrongKey);
  const modelLimits = [{ model: 'acme/tiny', rpm: 2, tpm: null }];
  const limited = await test.stack.createKey({ email, name: email, plan: 'enterprise', modelLimits });
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await post(chat, { messages }, randomUUID(), limited.apiKey)).status);
  expect(statuses).toEqual([200, 200, 429]);
});

it('is refused by a budget of its account as any request at the operator’s price is', async () => {
  const wish = { accountId, name: 'nothing', limitUsd: '0', window: 'month' as const };
  const { budget } = await test.stack.call(budgetOperations.create, wish);
  says(wrongKey);
  await eventually(async () => (await post(chat, { messages })).status === 429);
  const [response, keys] = await keysDuring(() => post(chat, { messages }));
  const { error } = (await response.json()) as { error: { details: object } };
  expect([response.status, error.details]).toEqual([429, expect.objectContaining({ reason: 'budget_exhausted' })]);
  expect([response.headers.get('x-tollgate-own-key'), keys]).toEqual(['refused', [own]]);
  expect(response.headers.get('x-gateway-warnings') ?? '').not.toContain('goes on');
  says(goodChat());
  expect((await post(chat, { messages })).status).toBe(200);
  await test.stack.call(budgetOperations.remove, { budgetId: budget.id });
});

it('waits at the end of a budget in tokens for what its own try held', async () => {
  const wish = { accountId, name: 'tokens', limitTokens: 30_000, window: 'month' as const };
  const { budget } = await test.stack.call(budgetOperations.create, wish);
  const asked = { messages, max_tokens: 20_000 };
  // Once it holds, two of them at once are too much.
  const twoAtOnce = () => Promise.all([post(chat, asked), post(chat, asked)]);
  await eventually(async () => (await twoAtOnce()).some(({ status }) => status === 429), 30_000);
  await eventually(async () => (await post(chat, asked)).status === 200, 30_000);
  says(wrongKey);
  // What the one before held is free a moment later.
  await eventually(async () => (await post(chat, asked)).status === 200, 30_000);
  await test.stack.call(budgetOperations.remove, { budgetId: budget.id });
});

it('has nothing to fall back to where the operator has no key of the provider', async () => {
  const asked = { messages, model: 'theirs/tiny' };
  await eventually(async () => (await post(chat, asked)).status === 200);
  says(wrongKey);
  const [response, keys] = await keysDuring(() => post(chat, asked));
  expect([response.status, response.headers.get('x-tollgate-own-key'), keys]).toEqual([401, null, [own]]);
});

it('ends with the refusal of the own key again, as soon as that is chosen', async () => {
  says(wrongKey);
  await test.stack.call(ownKeyOperations.change, { account: email, provider: 'acme', fallsBack: false });
  await eventually(async () => (await post(chat, { messages })).status === 401);
  const [response, keys] = await keysDuring(() => post(chat, { messages }));
  const { error } = (await response.json()) as { error: { details: object } };
  expect([error.details, keys]).toEqual([expect.objectContaining({ reason: 'own_key_refused' }), [own]]);
  expect(response.headers.get('x-tollgate-own-key')).toBeNull();
});
