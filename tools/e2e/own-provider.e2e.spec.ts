import { accountsOperations, peopleOperations } from '@tollgate/contracts/accounts';
import { catalogOperations } from '@tollgate/contracts/catalog';
import { inferenceOperations } from '@tollgate/contracts/inference';
import { billOperations, invoiceOperations, ledgerOperations } from '@tollgate/contracts/metering';
import type { DriftLine, ExplainedEvent } from '@tollgate/contracts/metering';
import { surfaces } from '@tollgate/dialects/surface';
import { answerJson, callers, eventually, freePort, goodChat, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream } from '@tollgate/testing';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-config-'));
const dayMs = 86_400_000;
/** Two accounts of one provider: a pool of its keys. */
const accounts = ['first', 'second'] as const;
const keyOf = (account: string) => `${account.toUpperCase()}_API_KEY`;
const dayAhead = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
/** The day on which a model ends that is used until then, and that on which others have ended. */
const [endsOn, endedOn] = [dayAhead(30), dayAhead(-1)];
let listed = ['qwen3:8b', 'qwen3:32b', 'gemma3:4b'];
let home: ScriptedUpstream;
let test: TestStack;
let apiKey: string;

interface Asked {
  key?: string;
  content?: string;
  requestId?: string;
  stream?: boolean;
}
const post = (
  model: string,
  { key = apiKey, content = 'Hello', requestId = randomUUID(), stream = false }: Asked = {},
) =>
  fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }], stream }),
  });

async function offered(): Promise<string[]> {
  const response = await fetch(`${test.stack.baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

const configuration = (sandboxPort: number) => `
providers:
  - id: homemade
    name: Homemade
    dialect: openai-chat
    baseUrl: http://127.0.0.1:${sandboxPort}/openai-chat
    apiKeyEnv: HOMEMADE_API_KEY
  - { id: home, preset: ollama, baseUrl: '${home.url}', models: { discover: true, match: ['qwen*'], prefix: 'my/' } }
  - { id: openrouter, baseUrl: 'http://127.0.0.1:${sandboxPort}/openai-chat' }
${accounts.map((id) => `  - { id: ${id}, dialect: anthropic-messages, authentication: x-api-key, baseUrl: 'http://127.0.0.1:${sandboxPort}/anthropic-messages', apiKeyEnv: ${keyOf(id)} }`).join('\n')}
  - id: moonshot
    baseUrl: http://127.0.0.1:${sandboxPort}/openai-chat
    models: { discover: true, serve: on-approval, onlyNew: true, everyS: 86400 }
models:
  - id: pool/sonnet
    capabilities: { reasoning: true, temperature: false }
    deployments: [${accounts.map((id) => `{ provider: ${id}, upstreamModel: claude-sonnet-5-5, weight: 1 }`).join(', ')}]
  - id: homemade/tiny
    provider: homemade
    upstreamModel: tiny-1
    prices: { input: '1', output: '2' }
    aliases: [tiny]
  - id: openrouter/gpt-5.2
    provider: openrouter
    upstreamModel: openai/gpt-5.2
    prices: { input: '1.75', output: '14', cachedInput: '0.175' }
  - { id: homemade/each, provider: homemade, upstreamModel: tiny-2, prices: { input: 0, output: 0, perRequest: 0.0001 } }
  - id: homemade/second
    provider: homemade
    upstreamModel: tiny-3
    prices: { input: 0, output: 0, terms: { units: { second: 0.0004 } } }
  - { id: homemade/free, provider: homemade, upstreamModel: tiny-4, prices: { input: 0, output: 0 } }
  - { id: homemade/unpriced, provider: homemade, upstreamModel: tiny-5 }
  - { id: homemade/ending, provider: homemade, upstreamModel: tiny-6, retirement: { date: ${endsOn}, successor: homemade/tiny } }
  - { id: homemade/moved, provider: homemade, retirement: { date: ${endedOn}, successor: homemade/tiny, redirects: true } }
  - { id: homemade/ended, provider: homemade, retirement: { date: ${endedOn}, successor: homemade/tiny } }
`;

beforeAll(async () => {
  home = await startScriptedUpstream((visit) =>
    visit.path === '/v1/models'
      ? answerJson(visit, 200, JSON.stringify({ object: 'list', data: listed.map((id) => ({ id, object: 'model' })) }))
      : goodChat()(visit),
  );
  const sandboxPort = await freePort();
  const config = join(folder, 'tollgate.yaml');
  writeFileSync(config, configuration(sandboxPort));
  test = await startTestStack({
    sandboxPort,
    environment: {
      ...{ TOLLGATE_SANDBOX: 'off', TOLLGATE_CONFIG: config },
      ...{
        ...Object.fromEntries(accounts.map((id) => [keyOf(id), `${id}-secret`])),
        HOMEMADE_API_KEY: 'homemade-secret',
        OPENROUTER_API_KEY: 'openrouter-secret',
        MOONSHOT_API_KEY: 'moonshot-secret',
      },
    },
  });
  apiKey = (await test.stack.createKey({ name: 'own provider', plan: 'pro' })).apiKey;
});
afterAll(async () => {
  // What did not start needs no stop, and must not keep the rest from ending.
  await (test as typeof test | undefined)?.stop();
  await (home as typeof home | undefined)?.stop();
  rmSync(folder, { recursive: true });
});

it('brings the models of a provider from tollgate.yaml live as soon as its key is set, under their aliases too', async () => {
  for (const name of ['homemade/tiny', 'tiny']) {
    const response = await post(name);
    expect([response.status, response.headers.get('x-gateway-provider')]).toEqual([200, 'homemade']);
    expect(response.headers.get('x-gateway-sandbox')).toBeNull();
  }
  const [row] = await test.provider.ledger();
  expect(row?.model).toBe('tiny-1');
});

it('offers no model of a provider without a key', async () => {
  expect((await offered()).filter((id) => !/^(?:homemade|my|openrouter|moonshot|pool)\//.test(id))).toEqual([]);
});

describe('what an answer costs', () => {
  const perToken = ({ event: { usage } }: ExplainedEvent) => usage.input * 1_000 + usage.output * 2_000;
  const perSecond = ({ event: { attempts } }: ExplainedEvent) =>
    Math.max(1, Math.ceil((attempts.at(-1)?.latencyMs ?? 0) / 1_000)) * 400_000;

  it.each<[string, string, (booked: ExplainedEvent) => number | null]>([
    ['by tokens', 'homemade/tiny', perToken],
    ['by the request', 'homemade/each', () => 100_000],
    ['by the second that the server worked, a begun one whole', 'homemade/second', perSecond],
    ['nothing, where the price says so', 'homemade/free', () => 0],
    ['what nobody knows, where there is no price', 'homemade/unpriced', () => null],
  ])('is booked %s', async (_, model, nanoUsd) => {
    const requestId = randomUUID();
    const answer = await post(model, { content: 'Hi [[sandbox: tokens=11 delay_ms=100]]', requestId });
    expect(answer.status).toBe(200);
    const reply = await eventually(
      () => test.stack.call(ledgerOperations.explain, { id: requestId }).catch(() => null),
      (found) => found !== null,
      10_000,
    );
    const [booked] = reply?.events ?? [];
    if (!booked) throw new Error('nothing is booked');
    const expected = nanoUsd(booked);
    expect(booked.storedNanoUsd).toBe(expected === null ? null : String(expected));
    expect(booked.computedNanoUsd).toBe(booked.storedNanoUsd);
    expect(booked.event.usage.output).toBeGreaterThan(0);
  });
});

it('offers what a server lists, by its pattern and prefix, as long as it lists it: what is gone is not asked and costs nothing', async () => {
  const own = async () => (await offered()).filter((id) => id.startsWith('my/')).sort();
  expect(await eventually(own, (ids) => ids.length === 2)).toEqual(['my/qwen3:32b', 'my/qwen3:8b']);
  expect((await post('my/qwen3:32b')).status).toBe(200);
  const asked = () => home.visits.filter(({ path }) => path !== '/v1/models').length;
  expect(asked()).toBe(1);

  listed = ['qwen3:8b', 'gemma3:4b'];
  const { looks } = await test.stack.call(inferenceOperations.lookForModels, { provider: 'home' });
  expect(looks).toEqual([expect.objectContaining({ provider: 'home', came: [], went: ['qwen3:32b'] })]);
  expect(await eventually(own, (ids) => ids.length === 1)).toEqual(['my/qwen3:8b']);

  const requestId = randomUUID();
  expect((await post('my/qwen3:32b', { requestId })).status).toBe(404);
  expect((await post('my/qwen3:8b')).status).toBe(200);
  expect(asked()).toBe(2);
  await expect(test.stack.call(ledgerOperations.explain, { id: requestId })).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('has a model on the day on which its provider ships it, once it is approved, and follows it under its new name until it is retired', async () => {
  const play = (change: object) =>
    fetch(`${test.stack.sandboxUrl}/control/models`, { method: 'POST', body: JSON.stringify(change) });
  const look = async () => {
    const { looks } = await test.stack.call(inferenceOperations.lookForModels, { provider: 'moonshot' });
    return looks[0];
  };
  const served = async (model: string) => {
    const answer = await post(model);
    return [answer.status, ((await answer.json()) as { model?: string }).model ?? null];
  };
  const snapshot = () => test.stack.call(catalogOperations.snapshot, {});
  await play({ ship: [{ name: 'kimi-k9' }] });
  expect(await look()).toMatchObject({ came: expect.arrayContaining(['kimi-k9']) as string[] });
  const { models } = await eventually(snapshot, (told) => told.models.some(({ id }) => id === 'moonshot/kimi-k9'));
  // It has what its family has, and no price.
  expect(models.find(({ id }) => id === 'moonshot/kimi-k9')).toMatchObject({
    ...{ discovered: true, prices: null, capabilities: { tools: true, reasoning: true } },
  });
  expect(await served('moonshot/kimi-k9')).toEqual([404, null]);

  await test.stack.call(catalogOperations.setModelEnabled, { model: 'moonshot/kimi-k9', enabled: true });
  await eventually(offered, (ids) => ids.includes('moonshot/kimi-k9'));
  expect(await served('moonshot/kimi-k9')).toEqual([200, 'kimi-k9']);

  await play({ rename: { 'kimi-k9': 'kimi-k9-pro' }, retire: ['kimi-k2.5'] });
  expect(await look()).toMatchObject({ came: ['kimi-k9-pro'], went: ['kimi-k9'] });
  await eventually(offered, (ids) => !ids.includes('moonshot/kimi-k9'));
  expect(await served('moonshot/kimi-k9')).toEqual([404, null]);
  // What the catalog still offers and the provider does not is nothing that the caller did wrong: a fallback
  // would be asked.
  expect(await served('moonshot/kimi-k2.5')).toEqual([502, null]);
});

describe('a model that ends', () => {
  it('is told to its callers before, with the day and what takes its place', async () => {
    const { status, headers } = await post('homemade/ending');
    const told = ['deprecation', 'sunset', 'x-gateway-warnings'].map((name) => headers.get(name));
    expect([status, ...told]).toEqual([
      200,
      `@${(Date.parse(endsOn) - 60 * dayMs) / 1_000}`,
      new Date(endsOn).toUTCString(),
      `homemade/ending ends on ${endsOn}: use homemade/tiny instead`,
    ]);
    const entry = await fetch(`${test.stack.baseUrl}/v1/models/homemade/ending`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(await entry.json()).toMatchObject({ shutdown_date: endsOn, successor: 'homemade/tiny' });
  });

  it('is written of to the owner of the keys that used it, by name', async () => {
    const email = 'ada@example.org';
    const { account } = await test.stack.call(accountsOperations.requestAccess, { name: 'Ada', email });
    await test.stack.call(accountsOperations.setAccountStatus, { account: account.id, status: 'active', plan: 'pro' });
    const made = await test.stack.createKey({ name: 'shop', email });
    await test.stack.createKey({ name: 'unused', email });
    const requestId = randomUUID();
    expect((await post('homemade/ending', { requestId, key: made.apiKey })).status).toBe(200);
    await eventually(
      () => test.stack.call(ledgerOperations.explain, { id: requestId }).catch(() => null),
      (found) => found !== null,
      10_000,
    );
    const mails = async () => {
      const { mails: all } = await test.stack.call(peopleOperations.listMails, {}).catch(() => ({ mails: [] }));
      return all.filter(({ recipient, subject }) => recipient === email && subject.includes('homemade/ending'));
    };
    // It looks daily, and when it has begun. That it writes once, retirement-notices.integration shows.
    await test.stack.process('records').restart();
    const [mail] = await eventually(mails, ({ length }) => length > 0, 30_000);
    expect(mail?.subject).toBe(`homemade/ending ends on ${endsOn}`);
    expect(mail?.body).toContain(`- shop (${made.key.display})`);
    expect(mail?.body).not.toContain('unused');
  });

  it('is answered by its successor afterwards where its provider does so, and billed as that, else a 404 that names it', async () => {
    const requestId = randomUUID();
    const moved = await post('homemade/moved', { requestId });
    expect([moved.status, moved.headers.get('x-gateway-model')]).toEqual([200, 'homemade/tiny']);
    expect(moved.headers.get('x-gateway-warnings')).toBe(
      `homemade/moved ended on ${endedOn}: its provider answers with homemade/tiny`,
    );
    const reply = await eventually(
      () => test.stack.call(ledgerOperations.explain, { id: requestId }).catch(() => null),
      (found) => found !== null,
      10_000,
    );
    const [booked] = reply?.events ?? [];
    expect(booked?.event).toMatchObject({ requestedModel: 'homemade/moved', model: 'homemade/tiny' });
    const { input = 0, output = 0 } = booked?.event.usage ?? {};
    expect(booked?.storedNanoUsd).toBe(String(input * 1_000 + output * 2_000));
    const ended = await post('homemade/ended');
    expect([ended.status, await ended.text()]).toEqual([
      404,
      expect.stringContaining('Its successor is homemade/tiny.'),
    ]);
    expect((await offered()).filter((id) => /moved|ended/.test(id))).toEqual([]);
  });
});

describe.each(callers)('thoughts that stay with the account that had them, from $surface', (caller) => {
  const path = surfaces.find(({ name }) => name === caller.surface)?.path ?? '';
  const hold = (deployment: string, state: 'open' | 'closed') =>
    test.stack.call(catalogOperations.holdDeployment, { deployment, state, by: 'spec' });
  /** Who answered, what it was sent, in tokens, and what is sent back of it. */
  const answerTo = async (body: object) => {
    const answer = await fetch(test.stack.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      // Claude of this generation takes no budget of thinking.
      body: JSON.stringify({
        ...{ ...body, model: 'pool/sonnet' },
        ...('thinking' in body && { thinking: { type: 'adaptive' } }),
      }),
    });
    const text = await answer.text();
    expect([answer.status, answer.status === 200 || text]).toEqual([200, true]);
    const { usage } = JSON.parse(text) as { usage: { prompt_tokens?: number; input_tokens?: number } };
    const account = answer.headers.get('x-gateway-provider') ?? '';
    return { account, tokens: usage.prompt_tokens ?? usage.input_tokens ?? 0, said: caller.read(text, false).message };
  };

  it('are kept as long as that answers, and left out at another of the pool, which refuses nothing', async () => {
    const asked = caller.ask(`Hello from ${caller.surface}`, { stream: false, reasons: true });
    const turns = 'messages' in asked ? 'messages' : 'input';
    const goneOn = (...answers: object[][]) => ({
      ...asked,
      [turns]: [
        ...(asked[turns] as object[]),
        ...answers.flatMap((said) => [...said, { role: 'user', content: 'And then?' }]),
      ],
    });
    const first = await answerTo(asked);
    const kept = await answerTo(goneOn(first.said));
    expect(kept.account).toBe(first.account);

    const place = `${first.account}:claude-sonnet-5-5`;
    await hold(place, 'closed');
    const elsewhere = await eventually(
      () => answerTo(goneOn(first.said)),
      ({ account }) => account !== first.account,
    );
    expect(accounts).toContain(elsewhere.account);
    expect(elsewhere.tokens).toBeLessThan(kept.tokens);
    // Beside what it thought itself.
    expect((await answerTo(goneOn(first.said, elsewhere.said))).account).toBe(elsewhere.account);

    await hold(place, 'open');
    const back = await eventually(
      () => answerTo(goneOn(first.said)),
      ({ account }) => account === first.account,
    );
    expect(back.tokens).toBe(kept.tokens);
  });
});

it('asks OpenRouter what each answer cost, and names the request that it charges otherwise', async () => {
  const model = 'openrouter/gpt-5.2';
  // All of it is of one day.
  const untilMidnightMs = dayMs - (Date.now() % dayMs);
  if (untilMidnightMs < 60_000) await sleep(untilMidnightMs);
  const ids = ['plain', 'streamed', 'planted'];
  for (const requestId of ids) await (await post(model, { requestId, stream: requestId === 'streamed' })).text();
  const day = new Date().toISOString().slice(0, 10);
  const isStored = (id: string) =>
    test.stack.call(ledgerOperations.explain, { id }).then(
      () => true,
      () => false,
    );
  for (const id of ids) await eventually(() => isStored(id), 10_000);
  const read = async (): Promise<DriftLine[]> => {
    const { bills } = await test.stack.call(billOperations.read, { day, provider: 'openrouter' });
    expect(bills).toEqual([{ provider: 'openrouter', problem: null }]);
    const { lines } = await eventually(
      () => test.stack.call(invoiceOperations.drift, { from: day, to: day, provider: 'openrouter' }),
      (told) => told.bills.length > 0 && told.bills.every(({ ratedAt }) => ratedAt !== null),
      30_000,
    );
    return lines;
  };
  expect(await read()).toMatchObject([{ model, kind: '', driftPicoUsd: '0', requests: 3, unpriced: 0 }]);

  // Seven more tokens of output, at $14 a million, and one that is not billed at all.
  const planted = { more: [{ requestId: 'planted', output: 7 }], missing: ['plain'] };
  await fetch(`${test.stack.sandboxUrl}/control/bills`, { method: 'POST', body: JSON.stringify(planted) });
  const [line] = await read();
  const { requests, count } = await test.stack.call(invoiceOperations.requests, {
    ...{ provider: 'openrouter', day, model, kind: '' },
  });
  expect(count).toBe(2);
  const named = new Map(
    requests.map(({ requestId, reason, billedPicoUsd, ratedPicoUsd }) => [
      requestId,
      { reason, drift: BigInt(billedPicoUsd ?? 0) - BigInt(ratedPicoUsd ?? 0) },
    ]),
  );
  expect(named.get('planted')).toEqual({ reason: 'amount', drift: 98_000_000n });
  expect(named.get('plain')).toMatchObject({ reason: 'not-billed' });
  const sum = [...named.values()].reduce((total, { drift }) => total + drift, 0n);
  expect(line?.driftPicoUsd).toBe(sum.toString());
});
