import { decimalFromNanoUsd } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { budgetLeaseOperations, budgetOperations, ledgerOperations } from '@tollgate/contracts/metering';
import type { ExplainedEvent } from '@tollgate/contracts/metering';
import { eventually, freePort } from '@tollgate/testing';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { Client } from 'pg';
import { z } from 'zod';
import { runTollgate } from './plain/cli';
import { SpokenResponses } from './plain/responses-socket';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

// Before midnight it waits for the new day, as long as it may take itself.
jest.setTimeout(600_000);

const folder = mkdtempSync(join(tmpdir(), 'tollgate-charges-'));
const file = join(folder, 'tollgate.yaml');
const dated = 'homemade/dated';
const dayMs = 86_400_000;
let port: number;
let test: TestStack;
let accountId: string;
let apiKey: string;

/** `changeAt`: when what is dated costs other than before, epoch milliseconds; null: never. */
function write(changeAt: number | null): void {
  const changes =
    changeAt === null
      ? ''
      : `\n    priceChanges: [{ from: ${new Date(changeAt).toISOString()}, prices: { input: '3', output: '10' } }]`;
  writeFileSync(
    file,
    `providers:
  - { id: homemade, dialect: openai-chat, baseUrl: 'http://127.0.0.1:${port}/openai-chat', apiKeyEnv: HOMEMADE_API_KEY }
models:
  - id: ${dated}
    provider: homemade
    upstreamModel: tiny-1
    prices: { input: '1', output: '2' }${changes}
`,
  );
}

beforeAll(async () => {
  // All of it is of one day.
  const dayEndsInMs = dayMs - (Date.now() % dayMs);
  if (dayEndsInMs < 120_000) await sleep(dayEndsInMs);
  port = await freePort();
  write(null);
  test = await startTestStack({
    sandboxPort: port,
    environment: { TOLLGATE_CONFIG: file, HOMEMADE_API_KEY: 'a secret' },
  });
  const email = 'charged@example.org';
  const { account } = await test.stack.call(accountsOperations.requestAccess, { name: 'Charged', email });
  accountId = account.id;
  const active = { account: accountId, status: 'active', plan: 'enterprise' } as const;
  await test.stack.call(accountsOperations.setAccountStatus, active);
  const limits = { plan: 'enterprise', rpm: null, quotaTokens: null } as const;
  ({ apiKey } = await test.stack.createKey({ name: 'charged', email, tellCost: true, cacheTtlS: 600, ...limits }));
});
afterAll(async () => {
  await (test as typeof test | undefined)?.stop();
  rmSync(folder, { recursive: true });
});

const headersOf = (requestId: string, more: Record<string, string> = {}) => {
  return { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-request-id': requestId, ...more };
};

function post(path: string, body: object, requestId: string, more?: Record<string, string>): Promise<Response> {
  const headers = headersOf(requestId, more);
  return fetch(test.stack.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** What the ledger has of a request, once it does. */
async function booked(requestId: string): Promise<ExplainedEvent> {
  const reply = await eventually(
    () => test.stack.call(ledgerOperations.explain, { id: requestId }).catch(() => null),
    (found) => found !== null,
    10_000,
  );
  const [event, second] = reply?.events ?? [];
  if (!event || second) throw new Error(`${reply?.events.length ?? 0} events are booked`);
  expect(event.computedNanoUsd).toBe(event.storedNanoUsd);
  return event;
}

const charge = async (requestId: string): Promise<string> => {
  const { storedNanoUsd } = await booked(requestId);
  return storedNanoUsd === null ? 'unpriced' : decimalFromNanoUsd(BigInt(storedNanoUsd));
};

describe('what a caller is told that its request costs', () => {
  const question = [{ role: 'user', content: 'Name a gate.' }];
  const model = 'anthropic/claude-opus-5';
  const inText = (text: string): string[] =>
    [...text.matchAll(/"x_tollgate_cost":"([^"]+)"/g)].flatMap(([, cost]) => cost ?? []);

  it.each<[string, string, object]>([
    ['chat', '/v1/chat/completions', { model, messages: question }],
    ['messages', '/v1/messages', { model, max_tokens: 100, messages: question }],
    ['responses', '/v1/responses', { model, input: 'Name a gate.' }],
    ['embeddings', '/v1/embeddings', { model: 'openai/text-embedding-3-small', input: ['a gate', 'a toll'] }],
  ])('is what the ledger has, in a header of %s', async (_, path, body) => {
    const requestId = randomUUID();
    const answer = await post(path, body, requestId);
    await answer.arrayBuffer();
    expect([answer.status, Number(answer.headers.get('x-tollgate-cost')) > 0]).toEqual([200, true]);
    expect(answer.headers.get('x-tollgate-cost')).toBe(await charge(requestId));
  });

  it.each<[string, string, object]>([
    ['chat', '/v1/chat/completions', { model, messages: question, stream: true }],
    ['messages', '/v1/messages', { model, max_tokens: 100, messages: question, stream: true }],
    ['responses', '/v1/responses', { model, input: 'Name a gate.', stream: true }],
  ])('is what the ledger has, in an event of a stream of %s', async (_, path, body) => {
    const requestId = randomUUID();
    const told = inText(await (await post(path, body, requestId)).text());
    expect(told).toEqual([await charge(requestId)]);
    const silent = await post(path, body, randomUUID(), { 'x-tollgate-cost': 'off' });
    expect(inText(await silent.text())).toEqual([]);
  });

  it('is nothing for an answer from the cache', async () => {
    const body = { model: 'openai/gpt-5.4-mini', messages: question };
    const first = randomUUID();
    const again = randomUUID();
    await (await post('/v1/chat/completions', body, first)).arrayBuffer();
    const answer = await post('/v1/chat/completions', body, again);
    await answer.arrayBuffer();
    expect([answer.headers.get('x-tollgate-cache'), answer.headers.get('x-tollgate-cost')]).toEqual(['hit', '0']);
    expect([await charge(first), await charge(again)]).toEqual([expect.not.stringMatching(/^0$/), '0']);
  });

  it('is what the ledger has, behind an answer that is too large to be held back', async () => {
    const requestId = randomUUID();
    const input = Array.from({ length: 60 }, (_, number) => `gate ${number}`);
    const embedder = 'openai/text-embedding-3-large';
    const body = JSON.stringify({ model: embedder, input, encoding_format: 'float', dimensions: 3_072 });
    const { bytes, announced, trailers } = await new Promise<{
      bytes: number;
      announced: string | undefined;
      trailers: NodeJS.Dict<string>;
    }>((resolve, reject) => {
      const sent = httpRequest(
        `${test.stack.baseUrl}/v1/embeddings`,
        { method: 'POST', headers: { ...headersOf(requestId), te: 'trailers' } },
        (answer) => {
          let count = 0;
          answer.on('data', (chunk: Buffer) => (count += chunk.length));
          answer.on('end', () =>
            resolve({ bytes: count, announced: answer.headers.trailer, trailers: answer.trailers }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
    expect(bytes).toBeGreaterThan(1_048_576);
    expect(announced).toContain('x-tollgate-cost');
    expect(trailers['x-tollgate-cost']).toBe(await charge(requestId));
  });

  it.each([false, true])('is what the ledger has, in a response in the background (streamed: %s)', async (stream) => {
    const requestId = randomUUID();
    const begun = await post('/v1/responses', { model, input: 'Name a gate.', background: true, stream }, requestId);
    const text = await begun.text();
    const id = /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '';
    const told = z.object({ status: z.string(), x_tollgate_cost: z.string().optional() });
    const ended = await eventually(
      async () => {
        const headers = { authorization: `Bearer ${apiKey}` };
        return told.parse(await (await fetch(`${test.stack.baseUrl}/v1/responses/${id}`, { headers })).json());
      },
      ({ status }) => status === 'completed',
      20_000,
    );
    expect(ended.x_tollgate_cost).toBe(await charge(requestId));
    if (stream) expect(inText(text)).toContain(ended.x_tollgate_cost);
  });

  it('is what the ledger has, for each turn over a WebSocket', async () => {
    const spoken = new SpokenResponses(`${test.stack.baseUrl}/v1`, apiKey);
    for (const input of ['Name a gate.', 'And a toll?']) {
      const from = spoken.told.length;
      const { requestId } = await spoken.answer({ model: 'openai/gpt-5.4-mini', input });
      const costs = spoken.told.slice(from).flatMap((event) => {
        return typeof event.x_tollgate_cost === 'string' ? [event.x_tollgate_cost] : [];
      });
      expect(costs).toEqual([await charge(requestId)]);
    }
    spoken.close();
  });
});

describe('what a console exports', () => {
  type Booked = Record<'model' | 'kind' | 'usd' | 'quantity' | 'request_id', string>;
  /** Each line of a seller's books as its console writes it. */
  const consoles: Record<'openai' | 'anthropic', { header: string; lineOf: (day: string, line: Booked) => string }> = {
    openai: {
      header: 'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,quantity,line_item',
      lineOf: (day, { model, kind, usd, quantity }) =>
        `0,0,${day}T00:00:00+00:00,${day}T23:59:59+00:00,${usd},usd,${quantity},"${model}, ${kind}_tokens"`,
    },
    anthropic: {
      header: 'usage_date_utc,model,workspace,token_type,cost_usd,cost_type',
      lineOf: (day, { model, kind, usd }) => {
        const [family = '', name = '', ...version] = model.split('-');
        const called = `${family} ${name} ${version.join('.')}`.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
        return `${day},${called},Default,${kind === 'input' ? 'input_no_cache' : kind},${usd},token`;
      },
    },
  };

  it.each(['openai', 'anthropic'] as const)(
    'is compared to the last place, and a line that was changed is found: %s',
    async (provider) => {
      const day = new Date().toISOString().slice(0, 10);
      const csv = await fetch(`${test.stack.sandboxUrl}/control/invoice.csv?seller=${provider}&day=${day}`);
      const [, ...rows] = (await csv.text()).trimEnd().split('\n');
      const booked = rows.map((row): Booked => {
        const [, model = '', kind = '', usd = '', quantity = '', request_id = ''] = row.split(',');
        return { model, kind, usd, quantity, request_id };
      });
      expect(booked.length).toBeGreaterThan(3);
      const { header, lineOf } = consoles[provider];
      const path = join(folder, `${provider}.csv`);
      const bring = async (lines: Booked[]): Promise<string> => {
        writeFileSync(path, [header, ...lines.map((line) => lineOf(day, line))].join('\n'));
        return runTollgate(test, 'invoices', 'import', path, '--provider', provider);
      };
      const compare = (): Promise<string> =>
        runTollgate(test, 'reconcile', '--from', day, '--provider', provider, '--tolerance', '0');
      expect(await bring(booked)).toMatch(new RegExp(`Read as the costs of ${provider}.*${day}`, 'is'));
      expect(await compare()).toContain('No line differs.');
      await bring(booked.map((line, at) => (at === 0 ? { ...line, usd: String(Number(line.usd) + 0.25) } : line)));
      await expect(compare()).rejects.toMatchObject({ stderr: expect.stringContaining('by $0.25') as string });
    },
  );
});

describe('a price that changes at an instant', () => {
  const nanos = ({ event: { usage } }: ExplainedEvent, input: number, output: number): string =>
    String(usage.input * input + usage.output * output);

  /** A chat of so many tokens, whose first comes after so long. */
  async function ask(requestId: string, firstMs = 0): Promise<{ told: string | null; cost: string }> {
    const messages = [{ role: 'user', content: `Hello [[sandbox: tokens=11 first_ms=${firstMs}]]` }];
    const body = { model: dated, messages, max_tokens: 50 };
    const answer = await post('/v1/chat/completions', body, requestId, { 'x-tollgate-cache': 'off' });
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
    return { told: answer.headers.get('x-tollgate-cost'), cost: await charge(requestId) };
  }

  /** When the rows of a model begin and end, epoch milliseconds. */
  async function rows(): Promise<[from: number, to: number | null][]> {
    const database = new Client({ connectionString: test.stack.databaseUrl });
    await database.connect();
    try {
      const found = await database.query<{ from: Date; to: Date | null }>(
        'SELECT valid_from AS from, valid_to AS to FROM price WHERE model = $1 ORDER BY valid_from',
        [dated],
      );
      return found.rows.map(({ from, to }) => [from.getTime(), to?.getTime() ?? null]);
    } finally {
      await database.end();
    }
  }

  it('holds from then on: what began before costs what it did, however long it takes, and its budget is settled so', async () => {
    const { budget } = await test.stack.call(budgetOperations.create, {
      ...{ accountId, name: 'all', limitUsd: '1', window: 'total' },
    });
    const state = async () => {
      const { states } = await test.stack.call(budgetLeaseOperations.states, { budgetIds: [budget.id] });
      return states[budget.id];
    };
    // It counts from the minute in which it is made, and what was used before is booked.
    const opening = BigInt((await state())?.spentNanoUsd ?? '0');
    const changeAt = Date.now() + 30_000;
    write(changeAt);
    await eventually(rows, (found) => found.at(-1)?.[0] === changeAt, 9_000);
    expect((await rows()).at(-2)?.[1]).toBe(changeAt);
    const ids = { before: randomUUID(), across: randomUUID(), after: randomUUID() };
    const before = await ask(ids.before);

    // It begins long before the change, and its first token comes after it, also where the machine is slow.
    await sleep(changeAt - 8_000 - Date.now());
    const across = ask(ids.across, changeAt + 2_000 - Date.now());
    // Set aside for the one that runs, by the price of its beginning.
    const holding = await eventually(state, (now) => BigInt(now?.heldNanoUsd ?? '0') > 0n, 6_000);
    const held = BigInt(holding?.heldNanoUsd ?? '0');

    await sleep(changeAt + 1_500 - Date.now());
    const after = await ask(ids.after);
    const [first, second, third] = await Promise.all([booked(ids.before), booked(ids.across), booked(ids.after)]);
    expect(second.event.startedAt).toBeLessThan(changeAt);
    const { cost } = await across;
    expect(second.event.endedAt).toBeGreaterThan(changeAt);
    expect([first.storedNanoUsd, second.storedNanoUsd, third.storedNanoUsd]).toEqual([
      nanos(first, 1_000, 2_000),
      nanos(second, 1_000, 2_000),
      nanos(third, 3_000, 10_000),
    ]);
    expect([first, second, third].map(({ price }) => [price?.validFrom === changeAt, price?.validTo])).toEqual([
      [false, changeAt],
      [false, changeAt],
      [true, null],
    ]);
    // Each was told what it costs, also the one whose price had ended when it was told.
    expect([before, await across, after].map(({ told }) => told)).toEqual([before.cost, cost, after.cost]);
    expect(held).toBeGreaterThanOrEqual(BigInt(second.storedNanoUsd ?? '0'));
    for (const { budgets, storedNanoUsd } of [first, second, third]) {
      expect(budgets).toMatchObject([{ budgetId: budget.id, name: 'all', spentNanoUsd: storedNanoUsd }]);
      expect(BigInt(budgets[0]?.heldNanoUsd ?? '0')).toBeGreaterThan(BigInt(storedNanoUsd ?? '0'));
    }
    const spent = [first, second, third].reduce((sum, each) => sum + BigInt(each.storedNanoUsd ?? '0'), 0n);
    const settled = await eventually(state, (now) => now?.heldNanoUsd === '0', 20_000);
    expect(BigInt(settled?.spentNanoUsd ?? '0') - opening).toBe(spent);

    const listed = await new OpenAI({ baseURL: `${test.stack.baseUrl}/v1`, apiKey }).models.retrieve(dated);
    expect(listed).toMatchObject({ pricing: { input: '3', output: '10' } });
  });
});
