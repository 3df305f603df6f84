import { createApiKey } from '@tollgate/contracts';
import { OtlpReceiver, chatEnding, eventually, goodChat, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream, UpstreamScript } from '@tollgate/testing';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Person } from '../prove/web/person';
import { filesOf, hits, metricsOf, tablesOf } from './places';
import type { Place } from './places';
import { homemadeProvider } from './homemade-provider';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

jest.setTimeout(300_000);

const canary = (what: string) => `canary-${what}-${randomBytes(12).toString('hex')}`;
/** Everything that must lie nowhere, by what it is. */
const secrets: Record<string, string> = {
  'the key of the provider': canary('provider'),
  'the live key of a provider': canary('live-provider'),
  'a key that is none': `${canary('no-key')} with spaces`,
  'a prompt': canary('prompt'),
  'a system prompt': canary('system'),
  'the arguments of a tool': canary('arguments'),
  'an answer': canary('answer'),
  'a password': canary('password'),
  'a new password': canary('new-password'),
  'a wrong password': canary('wrong-password'),
  'a wrong bootstrap secret': canary('wrong-bootstrap'),
  'a wrong key': createApiKey('tg'),
  'a mistyped key': `${createApiKey('tg').slice(0, -6)}AAAAAA`,
  'a foreign key': `sk-proj-${canary('foreign')}`,
};
const secret = (what: string): string => secrets[what] ?? '';
const providerKey = secret('the key of the provider');
const liveKey = secret('the live key of a provider');
const folder = mkdtempSync(join(tmpdir(), 'tollgate-canary-'));
const email = 'ada@example.org';

let test: TestStack;
let upstream: ScriptedUpstream;
let receiver: OtlpReceiver;
/** Refusals and errors as callers got them. */
const errors: Place[] = [];

beforeAll(async () => {
  [receiver, upstream] = await Promise.all([OtlpReceiver.start(), startScriptedUpstream(goodChat())]);
  test = await startTestStack({
    layout: 'split',
    environment: {
      ...homemadeProvider(folder, upstream.url, providerKey, 'contentLog: { enabled: true }'),
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, LOG_LEVEL: 'trace', PROVIDER_PRIVATE_HOSTS: '127.0.0.1' },
    },
  });
});
afterAll(async () => {
  await test.stop();
  await Promise.all([receiver.stop(), upstream.stop()]);
  rmSync(folder, { recursive: true });
});

const note = (name: string, content: string): void => void errors.push({ name: `the answer to ${name}`, content });

function request(apiKey: string, more: object = {}): RequestInit {
  const parameters = { type: 'object', properties: {} };
  return {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'homemade/tiny',
      messages: [
        { role: 'system', content: secret('a system prompt') },
        { role: 'user', content: secret('a prompt') },
        {
          role: 'assistant',
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'f', arguments: JSON.stringify({ a: secret('the arguments of a tool') }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: secret('a prompt') },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters } }],
      ...more,
    }),
  };
}

/**
 * Sends a generation and notes the answer unless it is good; a lost connection is an answer too.
 * @throws Error when there is no end within a minute.
 */
async function generate(name: string, apiKey: string, more: object = {}): Promise<number> {
  const signal = AbortSignal.timeout(60_000);
  try {
    const response = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, { ...request(apiKey, more), signal });
    const text = await response.text();
    if (!response.ok || text.includes('"error"')) note(name, text + JSON.stringify([...response.headers]));
    return response.status;
  } catch (error) {
    if (signal.aborted) throw new Error(`${name} has no end`, { cause: error });
    note(name, String(error));
    return 0;
  }
}

let talking = true;
/** An answer that says the canary; a stream says it again and again until the provider stops `talking`. */
const talkative: UpstreamScript = async (visit) => {
  const body = JSON.parse(visit.body.toString()) as { stream?: boolean };
  const choice = { index: 0, finish_reason: 'stop' };
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
  const whole = { id: 'x', object: 'chat.completion', created: 1, model: 'tiny-1', usage };
  if (!body.stream) {
    const message = { role: 'assistant', content: secret('an answer') };
    visit.response.writeHead(200, { 'content-type': 'application/json' });
    visit.response.end(JSON.stringify({ ...whole, choices: [{ ...choice, message }] }));
    return;
  }
  visit.response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object) =>
    `data: ${JSON.stringify({ ...whole, usage: null, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
  do {
    visit.response.write(chunk({ content: secret('an answer') }));
    await sleep(20);
  } while (talking && !visit.response.destroyed);
  visit.response.end(chatEnding());
};

const failing =
  (status: number, text: string): UpstreamScript =>
  ({ response }) =>
    void response.writeHead(status).end(text);

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callersSpan = 'b7ad6b7169203331';

it("follows a request from its caller's trace through edge and inference to the provider", async () => {
  const { apiKey } = await test.stack.createKey({ name: 'traces', plan: 'pro' });
  const response = await fetch(`${test.stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${callersSpan}-01`,
    },
    body: JSON.stringify({ model: 'homemade/tiny', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(await response.text()).toContain('[DONE]');
  const ofTrace = () => receiver.spans.filter((span) => span.traceId === traceId);
  const spans = await eventually(ofTrace, ({ length }) => length >= 3, 20_000);
  const [edge, call, attempt] = ['tollgate-edge', 'tollgate-inference', 'tollgate-inference'].map((service, index) =>
    spans.find((span) => span.service === service && (index === 2) === (span.kind === 3)),
  );
  expect(spans).toHaveLength(3);
  expect(edge).toMatchObject({ parentSpanId: callersSpan, name: 'POST /v1/chat/completions' });
  expect(call).toMatchObject({ parentSpanId: edge?.spanId, name: 'generate homemade/tiny' });
  expect(attempt).toMatchObject({
    parentSpanId: call?.spanId,
    name: 'chat tiny-1',
    attributes: { 'gen_ai.provider.name': 'homemade', 'gen_ai.request.model': 'tiny-1' },
  });
  expect(edge?.attributes['tollgate.request_id']).toBe(call?.attributes['tollgate.request_id']);
  const visit = await upstream.visited(1);
  expect(visit.headers['traceparent']).toBe(`00-${traceId}-${attempt?.spanId}-01`);
});

it('leaves no secret in logs, metrics, traces, errors, the database or JetStream, whatever happens', async () => {
  const { stack } = test;
  Object.assign(secrets, {
    'the pepper': readFileSync(join(stack.dataFolder, 'key-pepper'), 'utf8'),
    'the key-encryption key': readFileSync(join(stack.dataFolder, 'key-encryption-key'), 'utf8'),
    'the bootstrap secret': stack.bootstrapSecret,
    ...Object.fromEntries(
      (['edge', 'inference', 'accounts', 'metering', 'catalog', 'operator'] as const).map((user) => [
        `the password of ${user} in NATS`,
        decodeURIComponent(new URL(stack.natsUrlOf(user)).password),
      ]),
    ),
  });

  // People
  const visitor = await Person.visitor(stack);
  const post = async (person: Person, path: string, body: object): Promise<void> => {
    const response = await person.ask('POST', path, body);
    if (!response.ok) note(path, await response.text());
  };
  await post(visitor, '/api/auth/first-administrator', {
    secret: secret('a wrong bootstrap secret'),
    name: 'Eve',
    email,
    password: secret('a password'),
  });
  const grace = await Person.firstAdministrator(stack, 'grace@example.org', secret('a password'));
  const ada = await Person.signUp(stack, 'Ada', email, secret('a password'), 'engines');
  await post(visitor, '/api/auth/sign-in', { email, password: secret('a wrong password') });
  await post(visitor, '/api/auth/sign-in', {
    email: secret('a wrong password'),
    password: 1,
    [secret('a password')]: secret('a password'),
  });
  await post(ada, '/api/auth/password', {
    currentPassword: secret('a wrong password'),
    newPassword: secret('a new password'),
  });
  await post(ada, '/api/auth/password', {
    currentPassword: secret('a password'),
    newPassword: secret('a new password'),
  });
  await post(visitor, '/api/auth/forgot', { email });

  // A provider that is set without the file, and its key
  const document = `providers: [{ id: live, dialect: openai-chat, baseUrl: '${upstream.url}/v1', unlisted: true, keys: [main] }]`;
  await post(grace, '/api/admin/config', { document, version: 0 });
  await post(grace, '/api/admin/providers/live/keys/main', { key: secret('a key that is none') });
  await post(grace, '/api/admin/providers/live/keys/Main', { key: liveKey });
  await post(grace, '/api/admin/providers/nobody/keys/main', { key: liveKey });
  await post(grace, '/api/admin/providers/live/keys/main', { key: liveKey });
  note('the list of keys', await (await grace.ask('GET', '/api/admin/providers/live')).text());

  // Generations that succeed and fail
  const { apiKey } = await stack.createKey({ name: 'canary', plan: 'enterprise', rpm: null });
  secrets['an API key'] = apiKey;
  upstream.script = talkative;
  expect(await generate('a completion', apiKey)).toBe(200);
  const live = { model: 'live/tiny-1' };
  await eventually(() => generate('a live provider', apiKey, live).then((status) => status === 200));
  expect(upstream.visits.at(-1)?.headers.authorization).toBe(`Bearer ${liveKey}`);
  const kept = await fetch(`${stack.baseUrl}/v1/responses`, {
    ...request(apiKey),
    body: JSON.stringify({
      model: 'homemade/tiny',
      input: secret('a prompt'),
      instructions: secret('a system prompt'),
    }),
  });
  expect([kept.status, kept.headers.get('x-gateway-warnings')]).toEqual([200, null]);
  expect(await kept.text()).toContain(secret('an answer'));
  const leaving = new AbortController();
  const stream = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
    ...request(apiKey, { stream: true }),
    signal: leaving.signal,
  });
  await stream.body?.getReader().read();
  leaving.abort();
  for (const wrong of ['a wrong key', 'a mistyped key', 'a foreign key', 'a prompt'])
    await generate(wrong, secret(wrong));
  await generate('a wrong type', apiKey, { temperature: secret('a prompt'), stop: { a: secret('a prompt') } });
  await generate('an unknown model', apiKey, { model: 'homemade/none' });
  const inAddress = await fetch(`${stack.baseUrl}/v1/models?api_key=${apiKey}&authorization=${apiKey}`, {
    headers: { 'x-api-key': secret('a foreign key') },
  });
  note('a key in the address', await inAddress.text());
  const echo = JSON.stringify({
    error: {
      message: `Incorrect API key provided: ${providerKey} ${liveKey}`,
      headers: { authorization: `Bearer ${providerKey}` },
    },
  });
  for (const [status, text] of [
    [401, echo],
    [403, `<html>${providerKey}</html>`],
    [500, echo],
    [429, echo],
    [200, `{"broken": "${providerKey}`],
    [200, ''],
  ] as const) {
    upstream.script = failing(status, text);
    await generate(`a provider's ${status}`, apiKey);
    await generate(`a provider's ${status} to a stream`, apiKey, { stream: true });
    await generate(`a live provider's ${status}`, apiKey, live);
  }
  upstream.script = () => {
    throw new Error('reset');
  };
  await generate('a reset', apiKey);

  // Crashes, with streams in flight; and every service without its servers
  upstream.script = talkative;
  await eventually(
    () => generate('a provider that is well again', apiKey),
    (status) => status === 200,
    6_000,
  );
  for (const name of ['inference', 'edge', 'metering', 'accounts', 'postgres', 'nats']) {
    talking = true;
    const cut: Promise<number>[] = [];
    let ended = 0;
    const begin = () =>
      cut.push(generate(`a stream while ${name} died`, apiKey, { stream: true }).finally(() => ended++));
    const before = upstream.visits.length;
    // What follows another crash may be refused for a moment, and is asked again.
    await eventually(() => {
      if (ended === cut.length) for (let lane = 0; lane < 3; lane++) begin();
      return upstream.visits.length > before;
    }, 10_000);
    stack.process(name).kill('SIGKILL');
    await post(ada, '/api/keys', { name: 'while away' }).catch((error: unknown) =>
      note('a key while away', String(error)),
    );
    await post(visitor, '/api/auth/sign-in', { email, password: secret('a new password') }).catch((error: unknown) =>
      note('a sign-in while away', String(error)),
    );
    await stack.process(name).ready();
    // What reaches the provider from here on, since it waited for what was away, is short.
    talking = false;
    await Promise.all(cut);
  }
  // A caller may be answered with what it asked; nobody else may.
  await eventually(
    () => generate('the end', apiKey),
    (status) => status === 200,
    6_000,
  );
  await eventually(
    async () => receiver.spans.length,
    (count) => count > 10,
    2_000,
  );

  const places = [
    ...filesOf(stack),
    ...(await tablesOf(stack)),
    ...(await metricsOf(stack)),
    ...errors.filter(({ name }) => !name.includes('a stream while')),
    { name: 'traces', content: JSON.stringify(receiver.spans) },
  ];
  expect(errors.length).toBeGreaterThan(20);
  expect(places.filter(({ name }) => name.startsWith('logs/')).every(({ content }) => content.length > 0)).toBe(true);
  expect(hits(places, secrets)).toEqual([]);
  // Errors inside streams come after pieces of the answer: only those may be in them.
  const { 'an answer': _, ...others } = secrets;
  expect(hits(errors, others)).toEqual([]);
  // The search itself finds what is there.
  expect(hits([{ name: 'a file', content: `x${apiKey}y` }], secrets)).toEqual(['an API key in a file']);
});
