import { modelKindOf, surfaceNames } from '@tollgate/contracts';
import { guardrail } from '@tollgate/contracts/catalog';
import type { NewLoggedContent } from '@tollgate/contracts/metering';
import { surfaces } from '@tollgate/dialects/surface';
import { ModelCatalog } from '../catalog/model-catalog';
import { EdgeRig, eventually, question } from '../testing/edge-rig';
import { surfaceSamples } from '../testing/surface-samples';

const rules = { retentionDays: 7, maxBodyBytes: 4_096, detectors: ['email' as const], patterns: [] };
const apiKeyInText = `sk-proj-${'a'.repeat(40)}`;

let rig: EdgeRig;
let logging: string;
let silent: string;
beforeAll(async () => {
  rig = await EdgeRig.start();
  logging = rig.accounts.create({ id: 'logging', accountId: 'account-1', logContent: true });
  silent = rig.accounts.create({ id: 'silent', accountId: 'account-1' });
  await allow(true);
});
afterAll(() => rig.stop());
beforeEach(() => {
  Object.assign(rig.inference.behaviour, { chunks: 3, pauseMs: 0, waitMs: 0, failAfter: null, chunkBytes: 0 });
  rig.metering.isAway = false;
});

/** The operator allows logging, or does not; resolves when edge knows. */
async function allow(isAllowed: boolean): Promise<void> {
  const marker = `marker/${Math.random()}`.replace('.', '');
  rig.catalog.change({ contentLog: isAllowed ? rules : null, disabled: [marker] });
  await eventually(() => rig.service.get(ModelCatalog).snapshot().disabled.includes(marker));
}

const pathOf = (name: string) => surfaces.find((surface) => surface.name === name)?.path ?? '';
const header = (apiKey: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...more },
});
async function logged(requestId: string | null): Promise<NewLoggedContent & { asked: unknown; told: unknown }> {
  const find = () => rig.metering.logged.find((entry) => entry.requestId === requestId);
  await eventually(() => find() !== undefined, 5_000);
  const entry = find();
  if (!entry) throw new Error('it was found a moment ago');
  const told: unknown = entry.answer === null ? null : JSON.parse(entry.answer);
  return { ...entry, asked: JSON.parse(entry.request), told };
}
const idOf = (response: Response) => response.headers.get('x-request-id');
const metric = async (name: string) => {
  const text = await (await fetch(`http://127.0.0.1:${rig.internalPort}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, 'm').exec(text)?.[1] ?? 0);
};

describe.each(surfaceNames)('a request of %s', (name) => {
  const { request, answer } = surfaceSamples[name];

  it('is kept with its whole answer', async () => {
    const response = await rig.post(pathOf(name), logging, { ...request, user: 'ada@example.com' });
    expect(response.status).toBe(200);
    const entry = await logged(idOf(response));
    expect(entry).toMatchObject({
      ...{ keyId: 'logging', accountId: 'account-1', surface: name, stream: false, state: 'completed', status: 200 },
      ...{ cached: false, retentionDays: 7, requestTruncated: false, answerTruncated: false, redactions: 1 },
    });
    expect(entry.asked).toEqual({ ...request, user: '[redacted:email]' });
    expect(entry.told).toEqual(answer);
    const event = () => rig.metering.events.find(({ requestId }) => requestId === entry.requestId);
    await eventually(() => event() !== undefined);
    expect(event()?.id).toBe(entry.id);
  });

  it('is kept with what its stream came to', async () => {
    if (modelKindOf(name) !== 'generation') return;
    const response = await rig.post(pathOf(name), logging, { ...request, stream: true });
    await response.text();
    const entry = await logged(idOf(response));
    expect(entry).toMatchObject({ stream: true, state: 'completed', status: 200, answerTruncated: false });
    expect(JSON.stringify(entry.told)).toContain('t0 t1 t2 ');
  });
});

it('keeps nothing unless operator, key and caller all allow it', async () => {
  const before = rig.metering.logged.length;
  const ask = async (key: string, more = {}) => (await rig.chat(key, question, header(key, more))).status;
  expect(await ask(silent)).toBe(200);
  expect(await ask(logging, { 'x-tollgate-log': 'off' })).toBe(200);
  expect(await ask(silent, { 'x-tollgate-log': 'off' })).toBe(200);
  for (const key of [silent, logging]) expect(await ask(key, { 'x-tollgate-log': 'on' })).toBe(400);
  await rig.post('/v1/messages/count_tokens', logging, { model: question.model, messages: question.messages });
  await allow(false);
  expect(await ask(logging)).toBe(200);
  await allow(true);
  const last = await rig.chat(logging, question);
  await logged(idOf(last));
  expect(rig.metering.logged.length).toBe(before + 1);
});

it('takes keys out, although the operator names other detectors only', async () => {
  rig.inference.behaviour.chunks = 1;
  const content = `Say ${apiKeyInText}`;
  const response = await rig.chat(logging, { ...question, stream: true, messages: [{ role: 'user', content }] });
  await response.text();
  const entry = await logged(idOf(response));
  expect(entry.asked).toMatchObject({ messages: [{ content: 'Say [redacted:api-key]' }] });
});

it('cuts what is long, on both sides, and says so', async () => {
  Object.assign(rig.inference.behaviour, { chunks: 20, chunkBytes: 400 });
  const messages = [{ role: 'user', content: 'word '.repeat(5_000) }];
  const response = await rig.chat(logging, { ...question, stream: true, messages });
  await response.text();
  const entry = await logged(idOf(response));
  expect(entry).toMatchObject({ requestTruncated: true, answerTruncated: true });
  for (const text of [entry.request, entry.answer ?? '']) {
    expect(Buffer.byteLength(text)).toBeGreaterThan(2_000);
    expect(Buffer.byteLength(text)).toBeLessThan(4_300);
  }
});

it('keeps a failure with its status and what came before it', async () => {
  rig.inference.behaviour.failAfter = 0;
  const whole = await rig.chat(logging, question);
  expect(whole.status).toBe(502);
  expect(await logged(idOf(whole))).toMatchObject({
    ...{ state: 'failed', status: 502 },
    told: { error: { code: 502, message: 'openai answered 500' } },
  });
  rig.inference.behaviour.failAfter = 2;
  const stream = await rig.chat(logging, { ...question, stream: true });
  await stream.text();
  const entry = await logged(idOf(stream));
  expect(entry).toMatchObject({ state: 'failed', status: 200, told: { error: { code: 502 } } });
  expect(JSON.stringify(entry.told)).toContain('t0 t1 ');
});

it('keeps what came for a caller that left', async () => {
  Object.assign(rig.inference.behaviour, { chunks: 1_000, pauseMs: 5 });
  const leaving = new AbortController();
  const response = await rig.chat(
    logging,
    { ...question, stream: true },
    { ...header(logging), signal: leaving.signal },
  );
  await response.body?.getReader().read();
  leaving.abort();
  const entry = await logged(idOf(response));
  expect(entry).toMatchObject({ state: 'cancelled', status: 200 });
  expect(JSON.stringify(entry.told)).toContain('t0 ');
});

it('keeps an answer of the cache as what it is, also a stream', async () => {
  for (const stream of [false, true]) {
    const ask = async () => {
      const response = await rig.chat(
        logging,
        { ...question, seed: 5, stream },
        header(logging, { 'x-tollgate-cache': 'on' }),
      );
      await response.text();
      return logged(idOf(response));
    };
    const [first, second] = [await ask(), await ask()];
    expect([first.cached, second.cached]).toEqual([false, true]);
    expect(second).toMatchObject({ state: 'completed', status: 200, asked: first.asked });
    const withoutId = (told: unknown) => ({ ...(told as object), id: null });
    expect(withoutId(second.told)).toEqual(withoutId(first.told));
  }
});

it('keeps what a guardrail let through, not what it took out', async () => {
  rig.catalog.change({
    guardrails: [
      guardrail.parse({ id: 'names', kind: 'regex', patterns: ['heron'], appliesTo: 'input', action: 'redact' }),
    ],
  });
  const ask = async () => {
    const response = await rig.chat(logging, { ...question, messages: [{ role: 'user', content: 'a heron' }] });
    return (await logged(idOf(response))).request;
  };
  await eventually(async () => (await ask()).includes('[redacted:names]'), 5_000);
  expect(await ask()).not.toContain('heron');
  rig.catalog.change({ guardrails: [] });
});

it('waits while metering is away, and slows nobody', async () => {
  rig.metering.isAway = true;
  const response = await rig.chat(logging, question);
  expect(response.status).toBe(200);
  await eventually(async () => (await metric('edge_content_log_queue_bytes')) > 0);
  rig.metering.isAway = false;
  await logged(idOf(response));
  await eventually(async () => (await metric('edge_content_log_queue_bytes')) === 0);
  expect(await metric('edge_content_log_kept_total')).toBeGreaterThan(0);
  expect(await metric('edge_content_log_dropped_total')).toBe(0);
});
