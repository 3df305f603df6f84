import { noUsage } from '@tollgate/contracts';
import { accountsOperations, administrationOperations } from '@tollgate/contracts/accounts';
import { adminRoutes } from '@tollgate/contracts/edge';
import { billOperations, reportOperations } from '@tollgate/contracts/metering';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { Refusal } from './failure';
import { httpGateway, remoteGateway } from './http-gateway';
import { run } from './run';

interface Asked {
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
}
const asked: Asked[] = [];
let answer: { status: number; body: unknown };
/** What the next one is answered before that, with the header Retry-After. */
let answersOnce: { status: number; retryAfter: string } | null = null;
/** What is answered in its place at these addresses. */
let answersAt: Readonly<Record<string, unknown>> = {};
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
  request.on('end', () => {
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    if (answersOnce) {
      response.writeHead(answersOnce.status, { 'retry-after': answersOnce.retryAfter }).end('{}');
      return void (answersOnce = null);
    }
    const { status, body: usual } = answer;
    const told = answersAt[request.url?.split('?')[0] ?? ''] ?? usual;
    response.writeHead(status, {
      location: '/elsewhere',
      'content-type': typeof told === 'string' ? 'text/html' : 'application/json',
    });
    response.end(typeof told === 'string' ? told : JSON.stringify(told));
  });
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  asked.length = 0;
  answersAt = {};
  answer = { status: 200, body: { data: [], has_more: false, next: 'last' } };
});
const read = { source: 'api', readAt: 0, ratedAt: 0, problem: null };
const explained = {
  event: {
    ...{ id: 'e', requestId: 'r', keyId: 'k', accountId: 'a', requestedModel: 'm', model: 'groq/fast', status: 200 },
    ...{ surface: 'openai-chat', stream: false, state: 'completed', estimated: false, attempts: [], startedAt: 0 },
    ...{ firstTokenAt: null, endedAt: 1, lease: null, reportedBy: 'inference', usage: noUsage },
  },
  ...{ price: null, aboveInputTokens: null, hours: null, lines: [], computedNanoUsd: null, storedNanoUsd: null },
};
const accepts = (member: unknown, value: unknown): boolean =>
  member instanceof z.ZodType && member.safeParse(value).success;
const gateway = () => httpGateway({ url, token: 'tg_adm_x' });

describe('the gateway of the environment', () => {
  it('is none, or a whole one', () => {
    expect(remoteGateway({ TOLLGATE_URL: '' })).toBeNull();
    const https = { TOLLGATE_URL: 'https://gateway.example/base/', TOLLGATE_TOKEN: 't' };
    expect(remoteGateway(https)).toEqual({ url: 'https://gateway.example/base', token: 't' });
    expect(remoteGateway({ TOLLGATE_URL: 'http://127.0.0.1:8080', TOLLGATE_TOKEN: 't' })).toMatchObject({ token: 't' });
  });

  it.each([
    [{ TOLLGATE_URL: 'https://gateway.example' }, /TOLLGATE_TOKEN/],
    [{ TOLLGATE_TOKEN: 't' }, /TOLLGATE_URL/],
    [{ TOLLGATE_URL: 'gateway.example', TOLLGATE_TOKEN: 't' }, /no address/],
    [{ TOLLGATE_URL: 'http://gateway.example', TOLLGATE_TOKEN: 't' }, /https/],
  ])('is refused where a token must not go: %j', (environment, message) => {
    expect(() => remoteGateway(environment)).toThrow(message);
  });
});

/** Runs a command line on another machine. */
async function remotely(commandLine: string, environment: NodeJS.ProcessEnv = {}) {
  let out = '';
  let error = '';
  const write = { out: (text: string) => void (out += text), error: (text: string) => void (error += text) };
  const whole = { TOLLGATE_URL: url, TOLLGATE_TOKEN: 'tg_adm_x', ...environment };
  return { exitCode: await run(commandLine.split(' '), { environment: whole, folder: '/', write }), out, error };
}

describe('a command on another machine', () => {
  it('asks for the bills of all providers', async () => {
    const line = { model: 'm', kind: 'input', billedPicoUsd: '20000000000', ratedPicoUsd: null };
    const drift = { driftPicoUsd: '20000000000', billedQuantity: null, ratedQuantity: null, requests: 0, unpriced: 0 };
    const of = { day: '2026-11-01', provider: 'openai' };
    answer.body = { lines: [{ ...of, ...line, ...drift }], bills: [{ ...of, ...read }] };
    const { exitCode, error } = await remotely('reconcile --from 2026-11-01 --to 2026-11-01');
    expect(asked).toMatchObject([{ line: 'GET /api/admin/v1/bills?from=2026-11-01&to=2026-11-01' }]);
    expect([exitCode, error]).toEqual([1, expect.stringContaining('differ from the ledger by $0.02')]);
  });

  it.each([
    [{}, false],
    [{ priceUnconfirmed: true, pricesOldSince: '2020-01-01' }, true],
  ])('explains a charge with the doubts that stand beside it: %j', async (doubt, isTold) => {
    answer.body = { events: [{ ...explained, ...doubt }] };
    const { exitCode, error, out } = await remotely('usage explain e');
    expect([exitCode, error, out]).toEqual([0, '', expect.stringContaining('groq/fast')]);
    expect([/is unconfirmed: sources disagree/, /source on 2020-01-01/].map((words) => words.test(out))).toEqual([
      isTold,
      isTold,
    ]);
    expect(asked).toMatchObject([{ line: 'GET /api/admin/v1/usage/requests/e/charge' }]);
  });

  it('has guardrails tried with a text, in force or not', async () => {
    answer.body = { holding: 1, findings: [{ guardrail: 'hush', action: 'redact' }], blockedBy: null, goesOn: 'a [x]' };
    expect(await remotely('guardrails try hush --side output --model groq/fast --key key-1')).toEqual({
      ...{ exitCode: 0, error: '' },
      out: 'It goes on. 1 guardrail holds for it.\n\nGUARDRAIL  ACTION\nhush       redact\n\na [x]\n',
    });
    await remotely('guardrails try hush --pattern h.sh --action block');
    expect(asked.map(({ line }) => line)).toEqual(Array(2).fill('POST /api/admin/v1/guardrails/try'));
    expect(asked.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { text: 'hush', side: 'output', model: 'groq/fast', keyId: 'key-1' },
      { text: 'hush', side: 'input', draft: { id: 'draft', patterns: ['h.sh'], appliesTo: 'both', action: 'block' } },
    ]);
    answer.body = { holding: 1, findings: [], blockedBy: null, extra: 1 };
    expect((await remotely('guardrails try hush')).error).toContain('is it of another release?');
  });

  it('has guardrails tried there alone, and says so', async () => {
    const beside = { TOLLGATE_URL: '', TOLLGATE_TOKEN: '' };
    const { exitCode, error, out } = await remotely('guardrails try hush', beside);
    expect([exitCode, out, error]).toEqual([1, '', expect.stringMatching(/set TOLLGATE_URL and TOLLGATE_TOKEN/)]);
  });

  it('marks what requests cost where edge says that the price is unconfirmed', async () => {
    const request = { ...explained.event, provider: 'groq', costNanoUsd: '1500' };
    const data = [true, false].map((priceUnconfirmed) => ({ ...request, priceUnconfirmed }));
    answer.body = { data, has_more: false, next: null };
    const { out } = await remotely('requests list');
    expect(out).toMatch(/ 0\.0000015\?\n.* 0\.0000015\n\n\? The price is unconfirmed/);
    expect(JSON.parse((await remotely('requests list --json')).out)).toMatchObject({
      requests: [{ priceUnconfirmed: true }, { priceUnconfirmed: false }],
    });
  });

  it('shows how all instances together see the deployments', async () => {
    const standing = {
      ...{ state: 'open', timesOpened: 1, retryInMs: 4_200, concurrencyLimit: null, callers: null, why: '500' },
      ...{ openForMs: 800, inFlight: 3, waiting: 2, instances: 2 },
    };
    const held = { state: 'draining', reason: 'a new certificate', by: 'ada', since: 0, until: null };
    const of = (id: string, more: object) => ({
      id,
      provider: 'acme',
      models: [],
      held: null,
      standing: null,
      ...more,
    });
    answer.body = { data: [of('sick', { standing }), of('untried', {}), of('held', { held })] };
    const { out, exitCode } = await remotely('deployments list');
    expect(exitCode).toBe(0);
    const lines = out.trim().split('\n').slice(1);
    expect(lines.map((line) => line.trim().split(/  +/).slice(0, 6))).toEqual([
      ['sick', 'acme', 'all 2', 'left alone', 'everybody', '500'],
      ['held', 'acme', 'all 0', 'draining', 'everybody', 'ada: a new certificate'],
    ]);
    expect(JSON.parse((await remotely('deployments list --json')).out)).toMatchObject({
      data: [{ id: 'sick' }, {}, {}],
    });
  });

  const listed = (id: string, more: object) => ({
    ...{ id, status: 'active', contextWindow: 128_000, retirement: null, available: true, simulated: true },
    ...{ enabled: true, discovered: false, aliases: ['a'] },
    ...{ pricing: { input: '1.5', output: '6', hours: [], unconfirmed: true, old: true }, ...more },
  });

  it('reads mails, and makes a token that has no more than its own', async () => {
    expect(await remotely('mails list')).toMatchObject({ exitCode: 0, out: 'There are no mails.\n' });
    answer = { status: 403, body: { error: { message: 'scopes: a token gives what it has itself' } } };
    const made = await remotely('tokens create --name ci --scopes keys:read --expires never');
    expect(made).toMatchObject({ exitCode: 1, error: expect.stringContaining('what it has itself') });
    expect(asked.map(({ line }) => line)).toEqual(['GET /api/admin/v1/mails?limit=20', 'POST /api/admin/v1/tokens']);
    expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ name: 'ci', scopes: ['keys:read'], expiresAt: null });
    await remotely('tokens create --name ci --scopes keys:read');
    const { expiresAt } = z.object({ expiresAt: z.number() }).parse(JSON.parse(asked[2]?.body ?? ''));
    // Ninety days, as beside the gateway.
    expect(Math.abs(expiresAt - Date.now() - 90 * 86_400_000)).toBeLessThan(60_000);
  });

  it('lists the models as the admin API tells of them', async () => {
    const off = { available: false, enabled: false, pricing: null, contextWindow: null };
    answer.body = { data: [listed('acme/a', {}), listed('acme/b', off)], factsAsOf: '2026-11-22' };
    const rows = async (commandLine: string) => {
      const { out } = await remotely(commandLine);
      return out.split('\n').flatMap((line) => (line.startsWith('acme/') ? [line.trim().split(/  +/)] : []));
    };
    expect(await rows('models list')).toEqual([['acme/a', 'active', 'simulated', '128,000', '1.5?', '6?']]);
    expect((await rows('models list --all'))[1]).toEqual([
      ...['acme/b', 'active', 'switched off', 'unknown', 'unknown', 'unknown'],
    ]);
    const { out, exitCode } = await remotely('models list --json');
    expect([exitCode, JSON.parse(out)]).toMatchObject([0, { models: [{ id: 'acme/a', aliases: ['a'] }] }]);
  });

  it('says how the services are, and what is wrong, without the settings of its own machine', async () => {
    const at = (path: string, told: unknown) => ({ [`/api/admin/v1${path}`]: told });
    const instance = (service: string, version: string) => ({ service, version, instance: 'host-1', startedAt: 1 });
    const usage = { reservedTokens: 0, liveLeases: 0, pendingEvents: 3, deadLetters: 2 };
    answersAt = {
      ...at('/instances', { data: [instance('edge', '1.0.0'), instance('inference', '1.1.0')] }),
      ...at('/models', { data: [listed('acme/a', {})], factsAsOf: null }),
      ...at('/accounts', { data: [], has_more: false, next: null }),
      ...at('/status', usage),
    };
    const { out, exitCode } = await remotely('status');
    expect(exitCode).toBe(0);
    expect(out).toContain('1 of 1 models live, 1 live models have old prices');
    expect(out).toContain('3 events waiting, 2 unreadable');
    expect(out).toContain('Several releases run (1.0.0, 1.1.0)');
    const { exitCode: isWrong, error } = await remotely('doctor', { RATE_LIMIT_STORE: 'nowhere' });
    expect([isWrong, error]).toEqual([1, expect.stringContaining('Usage that could not be stored: 2')]);
    expect(error).not.toContain('RATE_LIMIT_STORE');
  });

  it.each(['invoices import bill.csv --provider acme'])(
    'is refused in one sentence where it needs what only a machine of the gateway sees: %s',
    async (commandLine) => {
      answer.body = { data: [], has_more: false, next: null };
      const { exitCode, error } = await remotely(commandLine);
      expect([exitCode, error]).toEqual([
        1,
        expect.stringMatching(/^\S.* is not in the admin API: run this where .*\n$/),
      ]);
    },
  );

  it('that asks nothing needs neither address nor token, and one that asks says which is missing', async () => {
    for (const half of [{ TOLLGATE_URL: '' }, { TOLLGATE_TOKEN: '' }]) {
      expect(await remotely('keys list --help', half)).toMatchObject({ exitCode: 0, error: '' });
      expect(await remotely('keys list', half)).toMatchObject({
        exitCode: 1,
        error: expect.stringContaining('is set, but not'),
      });
    }
  });
});

describe('what is asked over HTTP', () => {
  it('tells what a page says beside its list', async () => {
    answer.body = { data: [], has_more: false, next: null, orderedBy: 'endedAt' };
    const told = await gateway().call(reportOperations.listRequests, { startAt: 0, endAt: 1 });
    expect(told).toEqual({ requests: [], next: null, orderedBy: 'endedAt' });
  });

  it('is a route of the admin API, whose page is the reply of the operation', async () => {
    const reply = await gateway().call(accountsOperations.listKeys, { accountId: 'a b', limit: 5, after: undefined });
    expect(reply).toEqual({ keys: [], next: 'last' });
    expect(asked).toMatchObject([
      { line: 'GET /api/admin/v1/keys?accountId=a+b&limit=5', headers: { authorization: 'Bearer tg_adm_x' } },
    ]);
  });

  it('is written once, whatever becomes of the first try, by nobody but the token', async () => {
    answer = { status: 400, body: { error: { message: 'rpm: no' } } };
    const wish = { keyId: 'a/b', rpm: null, plan: undefined, actor: 'cli:ada' };
    const refused = gateway().call(accountsOperations.updateKey, wish);
    await expect(refused).rejects.toThrow(new Refusal('rpm: no'));
    expect(asked).toMatchObject([{ line: 'PATCH /api/admin/v1/keys/a%2Fb', body: '{"rpm":null}' }]);
    expect(asked[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is nothing that has no route, and no note of an act, which the gateway makes itself', async () => {
    const bill = gateway().call(billOperations.read, { day: '2026-11-01' });
    await expect(bill).rejects.toThrow(/not in the admin API/);
    await expect(gateway().hear('health', z.object({}), 1)).rejects.toThrow(/without TOLLGATE_URL/);
    const act = { actor: 'x', action: 'x', detail: {} };
    expect(await gateway().call(administrationOperations.recordAct, act)).toEqual({});
    expect(asked).toEqual([]);
  });

  it('waits as long as it is told where a token has asked too often', async () => {
    answer = { status: 429, body: { error: { message: 'too often' } } };
    answersOnce = { status: 429, retryAfter: '0' };
    await expect(gateway().call(accountsOperations.listKeys, {})).rejects.toThrow('too often');
    expect(asked).toHaveLength(2);
  });

  it('goes nowhere else, and says whether it is worth to ask again', async () => {
    answer = { status: 302, body: {} };
    const list = () => gateway().call(accountsOperations.listKeys, {});
    await expect(list()).rejects.toMatchObject({ exitCode: 3 });
    expect(asked).toHaveLength(1);
    answer = { status: 503, body: { error: { message: 'later' } } };
    await expect(list()).rejects.toMatchObject({ code: 'unavailable', message: 'later' });
  });

  it.each([
    ['{}', /^The gateway's answer to accounts.keys.list is not understood: is it of another release\?$/],
    ['[]', /^http:\/\/127.0.0.1:\d+ answered with no JSON object \(text\/html\): is TOLLGATE_URL .+ gateway\?$/],
    ['<title>Sign in</title>', /^http:\/\/127.0.0.1:\d+ answered with no JSON object \(text\/html\)/],
  ])('is not understood where a success is no page: %s', async (page, words) => {
    answer = { status: 200, body: page };
    await expect(gateway().call(accountsOperations.listKeys, {})).rejects.toThrow(words);
    await expect(gateway().call(accountsOperations.getKey, { keyId: 'k' })).rejects.toThrow(/no JSON|not understood/);
  });

  it.each([
    [404, '<title>Not found</title>', /answered with status 404, and not as the admin API .+ TOLLGATE_URL must be/],
    [401, { code: 'unauthorized' }, /answered with status 401, and not as the admin API/],
    [404, { error: { message: 'There is nothing at this address: see /docs.' } }, /status 404.+TOLLGATE_URL must be/],
    [502, '<title>Bad gateway</title>', /answered with status 502: the gateway behind it may be away/],
  ])('says what to do where something else answers with %d: %j', async (status, body, words) => {
    answer = { status, body };
    await expect(gateway().call(accountsOperations.listKeys, {})).rejects.toThrow(words);
  });

  it('may leave out whatever may be null', () => {
    const members = adminRoutes.flatMap(({ query }) => Object.entries(query.shape));
    expect(members.length).toBeGreaterThan(20);
    const needed = members.filter(([, member]) => accepts(member, null) && !accepts(member, undefined));
    expect(needed.map(([name]) => name)).toEqual([]);
  });
});
