import { eventually } from '@tollgate/testing';
import OpenAI from 'openai';
import { EdgeRig } from '../testing/edge-rig';

let rig: EdgeRig;
let apiKey: string;
let openai: OpenAI;
let stranger: OpenAI;
beforeAll(async () => {
  rig = await EdgeRig.start();
  apiKey = rig.accounts.create();
  openai = clientOf(apiKey);
  stranger = clientOf(rig.accounts.create({ accountId: 'account-of-a-stranger' }));
});
afterAll(() => rig.stop());
beforeEach(() => {
  rig.metering.isAway = false;
  rig.metering.conversations.refusal = null;
  Object.assign(rig.inference.behaviour, { failAfter: null, chunks: 3, waitMs: 0 });
});

const clientOf = (key: string) => new OpenAI({ apiKey: key, baseURL: `${rig.url}/v1`, maxRetries: 0 });
const model = 'openai/gpt-5.4-mini';
/** What the last request brought to inference. */
const asked = (): Record<string, unknown> =>
  JSON.parse(Buffer.from(rig.inference.calls.at(-1)?.body ?? []).toString()) as Record<string, unknown>;
const message = (text: string) => ({
  type: 'message' as const,
  role: 'user' as const,
  content: [{ type: 'input_text' as const, text }],
});
async function itemsOf(id: string, order: 'asc' | 'desc' = 'asc') {
  const items = [];
  for await (const item of openai.conversations.items.list(id, { order, limit: 3 })) items.push(item);
  return items;
}
const gone = (id: string) => ({ status: 404, error: { message: `Conversation with id '${id}' not found.` } });

it('begins, tells, changes and removes a conversation, as the official client reads it', async () => {
  const bare = await openai.conversations.create();
  expect(bare).toEqual({
    id: expect.stringMatching(/^conv_/),
    object: 'conversation',
    created_at: expect.any(Number),
    metadata: {},
  });
  const made = await openai.conversations.create({ metadata: { topic: 'a' }, items: [message('one')] });
  expect(await openai.conversations.retrieve(made.id)).toEqual(made);
  const changed = await openai.conversations.update(made.id, { metadata: { topic: 'b' } });
  expect(changed).toEqual({ ...made, metadata: { topic: 'b' } });
  expect(await itemsOf(made.id)).toMatchObject([{ ...message('one'), status: 'completed' }]);
  expect(await openai.conversations.delete(made.id)).toEqual({
    id: made.id,
    object: 'conversation.deleted',
    deleted: true,
  });
  await expect(openai.conversations.retrieve(made.id)).rejects.toMatchObject(gone(made.id));
  await expect(openai.responses.create({ model, conversation: made.id, input: 'x' })).rejects.toMatchObject(
    gone(made.id),
  );
});

it('adds, lists, tells and removes items, in their order', async () => {
  const { id } = await openai.conversations.create({ items: [{ role: 'user', content: 'one' }] });
  const added = await openai.conversations.items.create(id, { items: ['two', 'three', 'four'].map(message) });
  expect(added.data.map((item) => item.id)).toEqual([added.first_id, expect.any(String), added.last_id]);
  const items = await itemsOf(id);
  expect(items).toMatchObject(['one', 'two', 'three', 'four'].map(message));
  expect(await itemsOf(id, 'desc')).toEqual(items.toReversed());
  const [, second] = items;
  const secondId = second?.id ?? '';
  expect(await openai.conversations.items.retrieve(secondId, { conversation_id: id })).toEqual(second);
  expect(await openai.conversations.items.delete(secondId, { conversation_id: id })).toMatchObject({ id });
  expect(await itemsOf(id)).toEqual(items.filter((item) => item !== second));
  for (const call of [
    () => openai.conversations.items.retrieve(secondId, { conversation_id: id }),
    () => openai.conversations.items.delete(secondId, { conversation_id: id }),
  ])
    await expect(call()).rejects.toMatchObject({ status: 404, message: expect.stringContaining(secondId) });
});

it('keeps nothing readable, and shows nothing of it to another account', async () => {
  const secret = 'a word that nobody else may read';
  const { id } = await openai.conversations.create({ metadata: { secret }, items: [message(secret)] });
  const [item] = await itemsOf(id);
  const kept = rig.metering.conversations.all.find((one) => one.id === id);
  for (const content of [kept?.content, kept?.parts[0]?.content])
    expect(Buffer.from(content ?? '', 'base64').includes(secret)).toBe(false);
  const conversation_id = id;
  for (const call of [
    () => stranger.conversations.retrieve(id),
    () => stranger.conversations.update(id, { metadata: {} }),
    () => stranger.conversations.delete(id),
    () => stranger.conversations.items.list(id),
    () => stranger.conversations.items.create(id, { items: [message('x')] }),
    () => stranger.conversations.items.retrieve(item?.id ?? '', { conversation_id }),
    () => stranger.conversations.items.delete(item?.id ?? '', { conversation_id }),
    () => stranger.responses.create({ model, conversation: id, input: 'x' }),
  ])
    await expect(call()).rejects.toMatchObject(gone(id));
});

it.each([
  ['metadata', { metadata: { [`k${'k'.repeat(64)}`]: 'x' } }],
  ['items', { items: Array.from({ length: 21 }, () => message('x')) }],
  ['items.0', { items: ['x'] }],
])('refuses %s that it cannot take, by name', async (name, body) => {
  const answer = await rig.post('/v1/conversations', apiKey, body);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(`'${name}`)]);
});

it.each([
  [400, 'more than 8192 JSON values', { items: [{ ...message('x'), values: new Array(8_193).fill(0) }] }],
  [413, 'larger than 8388608 bytes', { items: [message('x'.repeat(8_400_000))] }],
])('refuses with %i what is %s, since others wait while it is taken apart', async (status, words, body) => {
  const answer = await rig.post('/v1/conversations', apiKey, body);
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
});

it('goes on through requests, streamed or not, kept or not, and is counted without being added to', async () => {
  const { id } = await openai.conversations.create({ items: [message('one')] });
  await openai.responses.create({ model, conversation: { id }, input: 'two', store: false });
  const items = [message('one'), message('two')];
  expect(asked()).toMatchObject({ conversation: { id }, input: items });
  await openai.responses.inputTokens.count({ model, conversation: id, input: 'not added' });
  expect(asked()).not.toHaveProperty('conversation');
  const third = { model, conversation: id, input: [message('three')], stream: true };
  expect(await (await rig.post('/v1/responses', apiKey, third)).text()).toContain('event: response.completed');
  expect(await itemsOf(id)).toMatchObject([...items, message('three')]);
  const both = { model, conversation: id, previous_response_id: 'resp_1', input: 'x' };
  await expect(openai.responses.create(both)).rejects.toMatchObject({ status: 400 });
});

it('has one request at a time, and is free again however that ends, with nothing added by one that broke', async () => {
  const { id } = await openai.conversations.create({ items: [message('one')] });
  const next = { model, conversation: id, input: 'next' };
  const letGo = rig.inference.hold();
  const first = openai.responses.create(next);
  await eventually(() => rig.metering.conversations.all.some((one) => one.lockId !== null), Boolean);
  const locked = { status: 400, error: { details: { reason: 'conversation_locked', param: 'conversation' } } };
  await expect(openai.responses.create(next)).rejects.toMatchObject(locked);
  await expect(openai.conversations.items.create(id, { items: [message('x')] })).rejects.toMatchObject(locked);
  letGo();
  await first;
  rig.inference.behaviour.failAfter = 1;
  const broken = await rig.post('/v1/responses', apiKey, { ...next, stream: true });
  expect(await broken.text()).toContain('event: error');
  rig.inference.behaviour.failAfter = null;
  // Refused after it was opened.
  await expect(openai.responses.create({ ...next, model: 'openai/none' })).rejects.toMatchObject({ status: 404 });
  await openai.responses.create(next);
  expect(await itemsOf(id)).toMatchObject(['one', 'next', 'next'].map(message));
});

it('is free again when its caller leaves, with nothing added', async () => {
  const { id } = await openai.conversations.create();
  const letGo = rig.inference.hold();
  const leaving = new AbortController();
  const left = openai.responses.create({ model, conversation: id, input: 'left' }, { signal: leaving.signal });
  const isLocked = () => rig.metering.conversations.all.some((one) => one.lockId !== null);
  await eventually(isLocked, Boolean);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await eventually(isLocked, (locked) => !locked);
  letGo();
  expect(await itemsOf(id)).toEqual([]);
});

it('tells whose account may not store more, and answers all the same', async () => {
  const { id } = await openai.conversations.create();
  rig.metering.conversations.refusal = 'This account has stored 10 of the 10 bytes that it may.';
  const adding = openai.conversations.items.create(id, { items: [message('x')] });
  await expect(adding).rejects.toMatchObject({ status: 403, message: expect.stringContaining('10 of the 10 bytes') });
  const { response } = await openai.responses.create({ model, conversation: id, input: 'x' }).withResponse();
  expect(response.headers.get('x-gateway-warnings')).toContain('not stored');
});

it('is a 503 that says so while it cannot be read, when requests that need none are served', async () => {
  const { id } = await openai.conversations.create();
  rig.metering.isAway = true;
  const away = { status: 503, message: expect.stringContaining('cannot be read') };
  await expect(openai.responses.create({ model, conversation: id, input: 'x' })).rejects.toMatchObject(away);
  await expect(openai.conversations.create()).rejects.toMatchObject(away);
  await expect(openai.conversations.retrieve(id)).rejects.toMatchObject(away);
  await expect(openai.responses.create({ model, input: 'x', store: false })).resolves.toBeDefined();
});
