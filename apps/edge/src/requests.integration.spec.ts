import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { plainBlock, repeatedBlock, zstdFrame } from './generation/zstd.fixture';
import { EdgeRig, eventually, question } from './testing/edge-rig';

let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  // Room for one large body of a key at a time.
  rig = await EdgeRig.start({ EDGE_BODY_MEMORY: '16777216', EDGE_BODY_LIMIT: '8388608' });
  apiKey = rig.accounts.create();
});
afterAll(() => rig.stop());

interface ErrorAnswer {
  error: { message: string; type: string; code: number; details?: { reason: string } };
}

async function expectError(answer: Response, status: number, text?: string): Promise<void> {
  expect(answer.status).toBe(status);
  const { error } = (await answer.json()) as ErrorAnswer;
  const { details, ...rest } = error;
  expect(rest).toEqual({ message: expect.any(String), type: expect.any(String), code: status });
  expect(details).toEqual(
    /^The model /.test(error.message) && status === 404 ? { reason: 'model_not_found' } : undefined,
  );
  if (text) expect(error.message).toContain(text);
  expect(answer.headers.get('x-request-id')).toBeTruthy();
}

const odd: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  'x',
  ' ',
  [],
  {},
  [null],
  [[]],
  { a: 1 },
  '\u0000',
  '😀'.repeat(50),
];
const fields = [
  'model',
  'messages',
  'max_tokens',
  'temperature',
  'top_p',
  'stream',
  'stop',
  'stream_options',
  'tools',
  'n',
  'metadata',
];
const rawBodies = [
  '',
  ' ',
  '{',
  '}',
  '[]',
  'null',
  '"x"',
  '1',
  'nul',
  '{"model":}',
  '{"a":1,}',
  "{'a':1}",
  '{"a":NaN}',
  '\ufeff{',
  '{"a":"\\x"}',
  '['.repeat(100_000),
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  '{"__proto__":{"model":"x"}}',
  '{"constructor":{"prototype":{}}}',
  '\u0000\u0001',
  '{"model":"openai/gpt-5.4-mini"}',
  '{"messages":[]}',
  'a=b&c=d',
  '<xml/>',
];

describe('bad input', () => {
  it('is never answered by a 5xx and always in the one error shape', async () => {
    const bodies = [
      ...rawBodies,
      ...fields.flatMap((field) => odd.map((value) => JSON.stringify({ ...question, [field]: value }))),
      ...odd.map((value) => JSON.stringify({ ...question, messages: [value] })),
      ...odd.map((value) => JSON.stringify({ ...question, messages: [{ role: 'user', content: value }] })),
      ...odd.map((value) => JSON.stringify({ ...question, messages: [{ role: value, content: 'x' }] })),
    ];
    expect(bodies.length).toBeGreaterThan(240);
    for (const body of bodies) {
      const answer = await rig.chat(apiKey, body);
      const text = await answer.text();
      if (answer.status === 200) continue;
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect((JSON.parse(text) as ErrorAnswer).error.code).toBe(answer.status);
    }
  });

  it.each([
    ['{"model":"openai/gpt-5.4-mini"}', 400, 'messages'],
    [JSON.stringify({ ...question, temperature: 3 }), 400, 'temperature'],
    [JSON.stringify({ ...question, model: 'no/such' }), 404, 'no/such'],
    [JSON.stringify({ ...question, model: 'xai/grok-9' }), 404, 'not available'],
  ])('is told what is wrong: %s', async (body, status, text) => {
    await expectError(await rig.chat(apiKey, body), status, text);
  });

  it('of another content type or encoding is a 415', async () => {
    const headers = { authorization: `Bearer ${apiKey}` };
    for (const [name, value] of [
      ['content-type', 'text/plain'],
      ['content-type', 'application/x-www-form-urlencoded'],
      ['content-encoding', 'compress'],
    ] as const) {
      const init = { headers: { 'content-type': 'application/json', ...headers, [name]: value } };
      await expectError(await rig.chat(apiKey, question, init), 415);
    }
  });
});

describe('a large body', () => {
  /** A request of about so many bytes whose metadata hold `filler`. */
  const filled = (filler: string) => JSON.stringify(question).replace(/}$/, `,"metadata":${filler}}`);

  it('is read by a thread and goes on as it was sent', async () => {
    const body = filled(`{"text":"${'word '.repeat(300_000)}"}`);
    const answer = await rig.chat(apiKey, body);
    expect(answer.status).toBe(200);
    const call = rig.inference.calls.at(-1);
    expect(Buffer.from(call?.body ?? []).equals(Buffer.from(body))).toBe(true);
  });

  // Elsewhere a process has one priority.
  (process.platform === 'linux' ? it : it.skip)('is read with a lower priority than everything else has', async () => {
    await rig.chat(apiKey, filled(`{"text":"${'word '.repeat(300_000)}"}`));
    // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    const nice = (task: string) =>
      readFileSync(`/proc/self/task/${task}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[16];
    const tasks = readdirSync('/proc/self/task');
    const lower = Number(nice(String(process.pid))) + 10;
    expect(tasks.map(nice)).toContain(String(Math.min(lower, 19)));
  });

  it('of too many values, malformed, or wrong is a 400 that says so, and stays so beside others', async () => {
    const answers = [
      [filled(`[${'[],'.repeat(900_000)}[]]`), 'more than 200000 JSON values'],
      [filled(`[${'1,'.repeat(900_000)}x]`), 'more than 200000 JSON values'],
      [filled(`["${'x'.repeat(2_000_000)}",]`), 'malformed JSON'],
      [JSON.stringify({ ...question, temperature: 3, user: 'x'.repeat(2_000_000) }), 'temperature'],
    ] as const;
    await Promise.all(answers.map(async ([body, text]) => expectError(await rig.chat(apiKey, body), 400, text)));
  });

  it('waits for its turn where there is no memory for all, and is not refused', async () => {
    const body = filled(`{"text":"${'word '.repeat(300_000)}"}`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => rig.chat(apiKey, body)));
    expect(answers.map(({ status }) => status)).toEqual(new Array(8).fill(200));
  });

  it('may come compressed, and is bounded by what comes out', async () => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const send = (body: Buffer, encoding: string) =>
      fetch(`${rig.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...headers, 'content-encoding': encoding },
        body: new Uint8Array(body),
      });
    const body = Buffer.from(filled(`{"text":"${'word '.repeat(300_000)}"}`));
    expect((await send(gzipSync(body), 'gzip')).status).toBe(200);
    expect(Buffer.from(rig.inference.calls.at(-1)?.body ?? []).equals(body)).toBe(true);
    await expectError(await send(gzipSync(Buffer.alloc(8_388_609, 0x20)), 'gzip'), 413);
    await expectError(await send(Buffer.from('no archive'), 'br'), 400, 'decompressed');
    const pieces = body.toString().match(/.{1,100000}/g) ?? [];
    expect((await send(zstdFrame(pieces.map(plainBlock)), 'zstd')).status).toBe(200);
    expect(Buffer.from(rig.inference.calls.at(-1)?.body ?? []).equals(body)).toBe(true);
    await expectError(await send(zstdFrame(new Array(65).fill(repeatedBlock(131_072))), 'zstd'), 413);
    await expectError(await send(Buffer.from('no archive'), 'zstd'), 400, 'decompressed');
  });
});

describe('an address', () => {
  it('that does not exist is a 404, with or without a key', async () => {
    for (const path of ['/v1', '/v2/chat/completions', '/admin', '/v1/chat/completions/x', '/%00', '/api//metrics'])
      await expectError(await rig.get(path, apiKey), 404);
    await expectError(await fetch(`${rig.url}/nowhere`), 404);
  });

  it('is the same with more slashes under /v1', async () => {
    const models = await (await rig.get('/v1/models', apiKey)).text();
    for (const path of ['/v1/models/', '/v1//models', '//v1/models'])
      expect(await (await rig.get(path, apiKey)).text()).toBe(models);
  });

  it('takes its own methods only, and says which', async () => {
    for (const [method, path, allow] of [
      ['GET', '/v1/chat/completions', 'POST'],
      ['DELETE', '/v1/models', 'GET, HEAD'],
      ['PUT', '/v1/models/openai/gpt-5.4-mini', 'GET, HEAD'],
      ['POST', '/api/metrics', 'GET, HEAD'],
      ['OPTIONS', '/v1/usage', 'GET, HEAD'],
    ] as const) {
      const answer = await fetch(`${rig.url}${path}`, { method, headers: { authorization: `Bearer ${apiKey}` } });
      expect(answer.headers.get('allow')).toBe(allow);
      await expectError(answer, 405);
    }
  });

  it('speaks no WebSocket elsewhere, and says so in the one way that clients fall back from', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const asked = get(`${rig.url}/v1/chat/completions`, { headers: { ...headers, authorization: `Bearer ${apiKey}` } });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.upgrade]).toEqual([426, 'HTTP/1.1']);
    expect(await json(answer)).toMatchObject({ error: { message: expect.stringContaining('POST') as string } });
  });

  it('that cannot be decoded is a 400', async () => {
    await expectError(await rig.get('/v1/models/%E0%A4%A', apiKey), 400);
  });
});

describe('the key', () => {
  it.each([
    ['none', {}],
    ['a wrong one', { authorization: 'Bearer tg_sk_wrong' }],
    ['another scheme', { authorization: 'Basic eDp5' }],
    ['SQL', { authorization: "Bearer ' OR '1'='1" }],
  ])('%s is a 401 with WWW-Authenticate on every endpoint', async (_, headers: Record<string, string>) => {
    for (const path of ['/v1/models', '/v1/usage', '/api/metrics', '/v1/models/x']) {
      const answer = await fetch(`${rig.url}${path}`, { headers });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      await expectError(answer, 401);
    }
    const answer = await rig.chat('', question, { headers: { 'content-type': 'application/json', ...headers } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    await expectError(answer, 401);
  });

  it('in a query or a body does not count', async () => {
    await expectError(await fetch(`${rig.url}/v1/models?access_token=${apiKey}`), 401);
    const headers = { 'content-type': 'application/json' };
    await expectError(await rig.chat('', { ...question, access_token: apiKey }, { headers }), 401);
  });

  it('may come as x-api-key', async () => {
    expect((await fetch(`${rig.url}/v1/models`, { headers: { 'x-api-key': apiKey } })).status).toBe(200);
  });

  it.each([
    ['pending', 'waiting for approval'],
    ['suspended', 'suspended'],
    ['declined', 'declined'],
  ] as const)('of a %s account is a 403 that says so', async (accountStatus, text) => {
    const key = rig.accounts.create({ accountStatus });
    await expectError(await rig.chat(key, question), 403, text);
    await expectError(await rig.get('/v1/models', key), 403, text);
  });

  it('works within a second of its approval', async () => {
    const key = rig.accounts.create({ accountStatus: 'pending' });
    await rig.get('/v1/models', key);
    rig.accounts.change(key, { accountStatus: 'active' });
    await eventually(async () => (await rig.get('/v1/models', key)).status === 200, 1_000);
  });

  it('sees only the models that it may use', async () => {
    const key = rig.accounts.create({ models: ['anthropic/*'] });
    const list = (await (await rig.get('/v1/models', key)).json()) as { data: { id: string }[] };
    expect(list.data.map(({ id }) => id)).toEqual(['anthropic/claude-sonnet-5']);
    await expectError(await rig.get('/v1/models/openai/gpt-5.4-mini', key), 403);
    await expectError(await rig.chat(key, question), 403);
  });
});

describe('reading', () => {
  it('finds a model by its id with a slash, plain and encoded, and by an alias', async () => {
    for (const id of ['openai/gpt-5.4-mini', 'openai%2Fgpt-5.4-mini', 'mini', 'gpt-5.4-mini'])
      expect(await (await rig.get(`/v1/models/${id}`, apiKey)).json()).toMatchObject({ id: 'openai/gpt-5.4-mini' });
    await expectError(await rig.get('/v1/models/no/such', apiKey), 404);
  });

  it("tells who reads models in Anthropic's shape of faults in it, too", async () => {
    const faults = [
      ['/v1/models?limit=0', apiKey, 400, 'invalid_request_error'],
      ['/v1/models/no/such', apiKey, 404, 'not_found_error'],
      ['/v1/models', 'wrong', 401, 'authentication_error'],
    ] as const;
    for (const [path, key, status, type] of faults) {
      const answer = await fetch(`${rig.url}${path}`, {
        headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
      });
      const told = { type: 'error', error: { type, code: status }, request_id: answer.headers.get('x-request-id') };
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status, body: told });
    }
  });

  it('tells costs exactly to the nano-dollar, beyond what a JavaScript number holds', async () => {
    const counters = {
      requests: 2,
      unpricedRequests: 0,
      inputTokens: 3,
      outputTokens: 4,
      costNanoUsd: '12345678901234567891',
    };
    rig.metering.report = { startAt: 0, endAt: 86_400_000, totals: counters, byModel: [{ model: 'a"b', ...counters }] };
    const text = await (await rig.get('/api/metrics?period=week', apiKey)).text();
    expect(text).toContain('"cost_usd":12345678901.234567891');
    expect(text).toContain('"requests":2,"unpriced_requests":0,');
    expect(JSON.parse(text)).toMatchObject({
      period: 'week',
      start: '1970-01-01T00:00:00.000Z',
      end: '1970-01-02T00:00:00.000Z',
      totals: { requests: 2, input_tokens: 3, output_tokens: 4, total_tokens: 7 },
      by_model: [{ model: 'a"b' }],
    });
  });

  it('reports of a model by any name that generation takes for it, and of no other', async () => {
    for (const name of ['openai/gpt-5.4-mini', 'gpt-5.4-mini', 'mini'])
      expect((await rig.get(`/api/metrics?model=${encodeURIComponent(name)}`, apiKey)).status).toBe(200);
    expect(rig.metering.reported).toEqual(Array.from({ length: 3 }, () => 'openai/gpt-5.4-mini'));
    const unknown = await rig.get('/api/metrics?model=no/such', apiKey);
    expect(await unknown.clone().json()).toMatchObject({ error: { type: 'not_found_error' } });
    await expectError(unknown, 404);
  });

  it('reports of each window, the calendar month too, as metering is asked for it', async () => {
    const from = rig.metering.windows.length;
    const asked = ['', '?period=hour', '?period=day', '?period=week', '?period=month', '?period=month&calendar=true'];
    for (const query of asked) expect((await rig.get(`/api/metrics${query}`, apiKey)).status).toBe(200);
    expect(rig.metering.windows.slice(from)).toEqual([
      ...['day', 'hour', 'day', 'week', 'month'].map((period) => ({ period, calendar: false })),
      { period: 'month', calendar: true },
    ]);
  });

  it('refuses a period that does not exist, by name', async () => {
    await expectError(await rig.get('/api/metrics?period=year', apiKey), 400, 'period');
    await expectError(await rig.get('/api/metrics?period=day&period=week', apiKey), 400, 'period');
    await expectError(await rig.get('/api/metrics?period=day&calendar=true', apiKey), 400, 'calendar');
    await expectError(await rig.get('/api/metrics?period=month&calendar=1', apiKey), 400, 'calendar');
    await expectError(await rig.get('/api/metrics?from=1', apiKey), 400, 'from: not a parameter here. Known are:');
    const told = 'period, x: not a parameter here. Known are: end_user, tag.';
    await expectError(await rig.get('/v1/usage?period=day&x=1', apiKey), 400, told);
  });

  it('keeps the request id of the caller when it is sane', async () => {
    const headers = { authorization: `Bearer ${apiKey}`, 'x-request-id': 'mine-1' };
    expect((await fetch(`${rig.url}/v1/models`, { headers })).headers.get('x-request-id')).toBe('mine-1');
    headers['x-request-id'] = 'not sane!';
    expect((await fetch(`${rig.url}/v1/models`, { headers })).headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });

  it('serves health and the contract without a key', async () => {
    expect((await fetch(`${rig.url}/livez`)).status).toBe(200);
    expect(await (await fetch(`${rig.url}/readyz`)).json()).toEqual({ status: 'ok' });
    const document = (await (await fetch(`${rig.url}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(document.paths)).toContain('/v1/chat/completions');
  });
});

describe('bytes that are no request', () => {
  async function send(bytes: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(rig.port, '127.0.0.1', () => socket.write(bytes));
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('close', () => resolve(text));
      // What it has not read when it closes resets the connection, behind its answer.
      socket.on('error', () => undefined);
    });
  }

  it.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['headers of 64 KiB', `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: ${'x'.repeat(65_536)}\r\n\r\n`],
    ['a line break inside a header', 'GET / HTTP/1.1\r\nhost: x\r\nauthorization: a\rb\r\n\r\n'],
    ['two lengths', 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
  ])('%s: 400 in the error shape, and the connection is closed', async (_, bytes) => {
    const answer = await send(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    const { error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as ErrorAnswer;
    expect(error.code).toBe(400);
  });
});
