import Anthropic from '@anthropic-ai/sdk';
import { createApiKey } from '@tollgate/contracts';
import { accountsOperations } from '@tollgate/contracts/accounts';
import { eventually, startScriptedUpstream } from '@tollgate/testing';
import type { ScriptedUpstream, UpstreamScript } from '@tollgate/testing';
import OpenAI from 'openai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { run } from '../cli/run';
import { Person } from '../prove/web/person';
import { filesOf, hits, metricsOf, tablesOf } from './places';
import { homemadeProvider } from './homemade-provider';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

jest.setTimeout(300_000);

const model = 'homemade/tiny';
const password = 'a password for the log of content';
const folder = mkdtempSync(join(tmpdir(), 'tollgate-content-log-'));
const providerKey = `provider-canary-${'k'.repeat(30)}`;
/** Told by the caller in a request, and by the provider in an answer, where it is spread over chunks. */
const [askedKey, toldKey] = [createApiKey('tg'), createApiKey('tg')];
const answer = ['Wri', 'te to ada@', 'example', '.com with ', toldKey.slice(0, 9), toldKey.slice(9), ' about engines'];
const redactedAnswer = 'Write to [redacted:email] with [redacted:api-key] about engines';

let test: TestStack;
let upstream: ScriptedUpstream;
let owner: Person;
let other: Person;
let administrator: Person;
let keyId: string;
let apiKey: string;

const contentLog = "contentLog: { enabled: true, retentionDays: 3, patterns: ['\\bPROJECT-[A-Z]+\\b'] }";

beforeAll(async () => {
  upstream = await startScriptedUpstream(talkative);
  test = await startTestStack({
    environment: homemadeProvider(folder, upstream.url, providerKey, contentLog),
  });
  administrator = await Person.firstAdministrator(test.stack, 'grace@example.org', password);
  [owner, other] = [await member('ada'), await member('charles')];
  ({ keyId, apiKey } = await newKey(owner, false));
});
afterAll(async () => {
  await test.stop();
  await upstream.stop();
  rmSync(folder, { recursive: true });
});

async function member(name: string): Promise<Person> {
  const email = `${name}@example.org`;
  const person = await Person.signUp(test.stack, name, email, password, 'engines');
  await test.stack.call(accountsOperations.setAccountStatus, { account: email, status: 'active', plan: 'pro' });
  return person;
}

async function newKey(person: Person, logContent: boolean): Promise<{ keyId: string; apiKey: string }> {
  const made = z
    .object({ apiKey: z.string(), key: z.object({ id: z.string(), logContent: z.boolean() }) })
    .parse(await person.mustPost('/api/keys', { name: 'logged', logContent }));
  expect(made.key.logContent).toBe(logContent);
  return { keyId: made.key.id, apiKey: made.apiKey };
}

/** Says the answer in its pieces, or as a whole. */
const talkative: UpstreamScript = async ({ body, response }) => {
  const { stream } = JSON.parse(body.toString()) as { stream?: boolean };
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
  const top = { id: 'chatcmpl-x', created: 1, model: 'tiny-1' };
  if (!stream) {
    const message = { role: 'assistant', content: answer.join('') };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...top, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (more: object) =>
    response.write(`data: ${JSON.stringify({ ...top, object: 'chat.completion.chunk', ...more })}\n\n`);
  for (const content of answer) {
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  chunk({ choices: [], usage });
  response.end('data: [DONE]\n\n');
};

const openai = (key: string) => new OpenAI({ baseURL: `${test.stack.baseUrl}/v1`, apiKey: key, maxRetries: 0 });
const anthropic = (key: string) => new Anthropic({ baseURL: test.stack.baseUrl, apiKey: key, maxRetries: 0 });
const prompt = (mark: string) => `${mark} of bob@example.com, PROJECT-HERON and ${askedKey}`;
const redactedPrompt = (mark: string) => `${mark} of [redacted:email], [redacted:pattern] and [redacted:api-key]`;

type Headers = Record<string, string>;
/** What each client says, whole and streamed; each resolves with what it read. */
const clients: [string, (key: string, content: string, headers: Headers) => Promise<string>][] = [
  [
    'chat completions',
    async (key, content, headers) => {
      const body = { model, messages: [{ role: 'user' as const, content }] };
      return (await openai(key).chat.completions.create(body, { headers })).choices[0]?.message.content ?? '';
    },
  ],
  [
    'streamed chat completions',
    async (key, content, headers) => {
      const body = { model, messages: [{ role: 'user' as const, content }] };
      return (await openai(key).chat.completions.stream(body, { headers }).finalContent()) ?? '';
    },
  ],
  [
    'responses',
    async (key, input, headers) => (await openai(key).responses.create({ model, input }, { headers })).output_text,
  ],
  [
    'streamed responses',
    async (key, input, headers) =>
      (await openai(key).responses.stream({ model, input }, { headers }).finalResponse()).output_text,
  ],
  [
    'messages',
    async (key, content, headers) => {
      const body = { model, max_tokens: 100, messages: [{ role: 'user' as const, content }] };
      const message = await anthropic(key).messages.create(body, { headers });
      return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    },
  ],
  [
    'streamed messages',
    async (key, content, headers) => {
      const body = { model, max_tokens: 100, messages: [{ role: 'user' as const, content }] };
      return anthropic(key).messages.stream(body, { headers }).finalText();
    },
  ],
];

const content = z.object({ request: z.string(), answer: z.string().nullable(), redactions: z.number() }).loose();

/** The event of a request, once it is in the ledger. */
async function eventOf(requestId: string, person = owner): Promise<string> {
  const query = new URLSearchParams({ startAt: '0', endAt: String(Date.now() + 60_000), requestId });
  const ask = async () => {
    const response = await person.ask('GET', `/api/reports/requests?${query.toString()}`);
    return z.object({ data: z.array(z.object({ id: z.string() }).loose()) }).parse(await response.json()).data;
  };
  const [event] = await eventually(ask, ({ length }) => length > 0, 20_000);
  if (!event) throw new Error(`the request ${requestId} is not in the ledger`);
  return event.id;
}

/** What the owner reads of a request now. Null: nothing is kept. */
async function readNow(requestId: string) {
  const response = await owner.ask('GET', `/api/content-log/${await eventOf(requestId)}`);
  return response.status === 404 ? null : content.parse(await response.json());
}

/** The same, once it is kept. */
const logged = (requestId: string) =>
  eventually(
    () => readNow(requestId),
    (found) => found !== null,
    10_000,
  );

const switchTo = async (logContent: boolean) =>
  expect((await owner.ask('PATCH', `/api/keys/${keyId}`, { logContent })).status).toBe(200);

let rpm = 600;
/** Resolves when edge knows all that was changed of the key: a limit, changed last, stands in its answers. */
async function asEdgeKnows(): Promise<void> {
  rpm += 1;
  await test.stack.call(accountsOperations.updateKey, { keyId, rpm });
  const told = async () => {
    const response = await fetch(`${test.stack.baseUrl}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    await response.arrayBuffer();
    return response.headers.get('x-ratelimit-limit-requests');
  };
  await eventually(told, (limit) => limit === String(rpm), 1_000);
}

it('keeps nothing while the key does not say so, or the caller says off', async () => {
  const mark = `canary${Date.now()}`;
  for (const [name, ask] of clients) await ask(apiKey, `${mark} ${name}`, { 'x-request-id': 'silent' });
  await switchTo(true);
  await asEdgeKnows();
  for (const [name, ask] of clients)
    await ask(apiKey, `${mark} ${name}`, { 'x-request-id': 'kept-out', 'x-tollgate-log': 'off' });
  // What is kept goes its way in order: once this is, what was before it would be.
  await clients[0]?.[1](apiKey, 'the witness', { 'x-request-id': 'witness' });
  expect((await logged('witness'))?.request).toContain('the witness');
  for (const requestId of ['silent', 'kept-out']) expect(await readNow(requestId)).toBeNull();
  const places = [...filesOf(test.stack), ...(await tablesOf(test.stack)), ...(await metricsOf(test.stack))];
  expect(hits(places, { 'a prompt': mark, 'an answer': toldKey, 'a key': providerKey })).toEqual([]);
});

it.each(clients)('keeps %s redacted, also what was spread over chunks', async (name, ask) => {
  const requestId = `kept-${name.replaceAll(' ', '-')}`;
  expect(await ask(apiKey, prompt(name), { 'x-request-id': requestId })).toBe(answer.join(''));
  const kept = await logged(requestId);
  expect(kept?.request).toContain(redactedPrompt(name));
  expect(kept?.answer).toContain(redactedAnswer);
  expect(kept).toMatchObject({ redactions: expect.any(Number), state: 'completed', status: 200 });
  expect(JSON.stringify(kept)).not.toMatch(/ada@|example\.com|bob@|HERON/);
});

it('keeps a failure as what the caller was told', async () => {
  upstream.script = ({ response }) => void response.writeHead(500).end('{}');
  const headers = { 'x-request-id': 'failed' };
  await expect(
    openai(apiKey).chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] }, { headers }),
  ).rejects.toMatchObject({ status: 502 });
  upstream.script = talkative;
  const kept = await logged('failed');
  expect(kept).toMatchObject({ state: 'failed', status: 502 });
  expect(JSON.parse(kept?.answer ?? '')).toMatchObject({ error: { code: 502 } });
});

it('shows what is kept to its owner, and to an administrator whose reading is written down', async () => {
  const id = await eventOf('kept-messages');
  for (const person of [other, administrator])
    expect((await person.ask('GET', `/api/content-log/${id}`)).status).toBe(404);
  expect((await other.ask('POST', `/api/admin/content-log/${id}/read`, {})).status).toBe(403);
  expect((await other.ask('POST', `/api/content-log/${id}/remove`, {})).status).toBe(404);
  expect((await other.ask('POST', `/api/keys/${keyId}/content-log/remove`, {})).status).toBe(404);
  const read = await administrator.ask('POST', `/api/admin/content-log/${id}/read`, {});
  expect(content.parse(await read.json()).request).toContain(redactedPrompt('messages'));
  const audit = await (await administrator.ask('GET', '/api/admin/audit')).json();
  expect(audit).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({
        actor: 'grace@example.org',
        action: 'content-read',
        detail: { eventId: id, requestId: 'kept-messages', keyId },
      }),
    ]),
  });
});

it('shows and removes on the command line, which is written down too', async () => {
  const tollgate = async (line: string) => {
    let out = '';
    const write = { out: (text: string) => void (out += text), error: (text: string) => void (out += text) };
    const environment = { NATS_URL: test.stack.natsUrlOf('operator') };
    return { exitCode: await run(line.split(' '), { environment, folder: '/', write }), out };
  };
  const shown = await tollgate('logs show kept-streamed-messages');
  expect([shown.exitCode, shown.out]).toEqual([0, expect.stringContaining(redactedPrompt('streamed messages'))]);
  expect(await tollgate('logs delete failed')).toEqual({ exitCode: 0, out: 'Removed 1 logged request.\n' });
  expect(await tollgate('logs show failed')).toMatchObject({ exitCode: 1 });
  const audit = z
    .object({ data: z.array(z.object({ actor: z.string(), action: z.string() }).loose()) })
    .parse(await (await administrator.ask('GET', '/api/admin/audit')).json());
  const acts = audit.data.filter(({ actor }) => actor.startsWith('cli:')).map(({ action }) => action);
  expect(acts.filter((action) => action.startsWith('content-')).sort()).toEqual(['content-read', 'content-removed']);
});

it('removes one, and then all of the key, for its owner', async () => {
  const id = await eventOf('kept-messages');
  expect((await owner.ask('POST', `/api/content-log/${id}/remove`, {})).status).toBe(204);
  expect((await owner.ask('GET', `/api/content-log/${id}`)).status).toBe(404);
  const all = await owner.mustPost(`/api/keys/${keyId}/content-log/remove`, {});
  // The witness, and all kept of the clients but that one.
  expect(all).toEqual({ removed: clients.length, isDone: true });
  expect(await readNow('kept-responses')).toBeNull();
});

it('has no key, of a provider or of ours, in any place, whatever was asked and answered', async () => {
  const requestId = 'last';
  const ask = clients[0]?.[1];
  await ask?.(apiKey, prompt('last'), { 'x-request-id': requestId });
  expect((await logged(requestId))?.request).toContain('last of');
  const secrets = {
    'a key that was asked': askedKey,
    'a key that was told': toldKey,
    'a key of a provider': providerKey,
  };
  const places = [...filesOf(test.stack), ...(await tablesOf(test.stack)), ...(await metricsOf(test.stack))];
  expect(hits(places, { ...secrets, 'the key of the caller': apiKey })).toEqual([]);
});
