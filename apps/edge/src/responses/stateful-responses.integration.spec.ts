import { guardrail } from '@tollgate/contracts/catalog';
import { eventually } from '@tollgate/testing';
import { randomBytes } from 'node:crypto';
import OpenAI from 'openai';
import { EdgeRig } from '../testing/edge-rig';

let rig: EdgeRig;
let apiKey: string;
let openai: OpenAI;
let stranger: OpenAI;
beforeAll(async () => {
  rig = await EdgeRig.start({ EDGE_BODY_LIMIT: '4194304' });
  apiKey = rig.accounts.create();
  openai = clientOf(apiKey);
  stranger = clientOf(rig.accounts.create({ accountId: 'account-of-a-stranger' }));
});
afterAll(() => rig.stop());
beforeEach(() => {
  rig.metering.isAway = false;
  rig.metering.turns.parts.splice(0);
});

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${rig.url}/v1`, maxRetries: 0 });
const model = 'openai/gpt-5.4-mini';
/** What the last request brought to inference. */
const asked = (): Record<string, unknown> =>
  JSON.parse(Buffer.from(rig.inference.calls.at(-1)?.body ?? []).toString()) as Record<string, unknown>;
const message = (text: string) => ({
  type: 'message' as const,
  role: 'user' as const,
  content: [{ type: 'input_text' as const, text }],
});
const secret = 'a word that nobody else may read';

it('puts a conversation before the input of the next request, of text and of items, streamed or not', async () => {
  const first = await openai.responses.create({ model, input: secret });
  const next = { model, previous_response_id: first.id, input: [message('And?')], stream: true };
  expect(await (await rig.post('/v1/responses', apiKey, next)).text()).toContain('event: response.completed');
  expect(asked()).toMatchObject({ previous_response_id: first.id, input: [message(secret), message('And?')] });
});

it('keeps nothing readable, and nothing at all for a request that says so', async () => {
  await openai.responses.create({ model, input: secret, store: false });
  expect(rig.metering.turns.parts).toEqual([]);
  await openai.responses.create({ model, input: secret });
  const [kept] = rig.metering.turns.parts;
  expect(kept?.id).toBe('resp_1');
  expect(Buffer.from(kept?.content ?? '', 'base64').includes(secret)).toBe(false);
});

it('tells kept responses and what they were made from to their account alone', async () => {
  const { id } = await openai.responses.create({ model, input: secret });
  expect(await openai.responses.retrieve(id)).toMatchObject({ id, object: 'response', status: 'completed' });
  const items = [];
  for await (const item of openai.responses.inputItems.list(id, { limit: 1, order: 'asc' })) items.push(item);
  expect(items).toMatchObject([message(secret)]);
  for (const call of [
    () => stranger.responses.retrieve(id),
    () => stranger.responses.inputItems.list(id),
    () => stranger.responses.delete(id),
  ])
    await expect(call()).rejects.toMatchObject({
      status: 404,
      error: { message: `Response with id '${id}' not found.` },
    });
  await openai.responses.delete(id);
  await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
});

it.each(['resp_1', 'resp_of_nobody'])(
  'refuses to go on from %s of another account, or of nobody, alike',
  async (id) => {
    await openai.responses.create({ model, input: secret });
    await expect(stranger.responses.create({ model, previous_response_id: id, input: 'x' })).rejects.toMatchObject({
      status: 400,
      error: {
        message: `Previous response with id '${id}' not found.`,
        details: { reason: 'previous_response_not_found', param: 'previous_response_id' },
      },
    });
  },
);

it('goes on from a conversation of many parts, and says where it has become too large', async () => {
  // Nothing compresses it.
  const long = randomBytes(1_200_000).toString('base64');
  const { id } = await openai.responses.create({ model, input: long });
  // What is large may be kept a moment after its answer, its first part last.
  await eventually(() => rig.metering.turns.parts.some(({ part }) => part === 0));
  expect(rig.metering.turns.parts.length).toBeGreaterThan(3);
  await openai.responses.create({ model, previous_response_id: id, input: [message('And?')] });
  expect(asked()).toMatchObject({ input: [message(long), message('And?')] });
  const tooLong = { model, previous_response_id: id, input: `${long}${long}`.slice(0, 2_800_000) };
  await expect(openai.responses.create(tooLong)).rejects.toMatchObject({
    status: 413,
    message: expect.stringContaining('4194304 bytes'),
  });
});

it('puts kept items in the place of references to them, and leaves every other byte', async () => {
  const item = { id: 'msg_kept', type: 'message', role: 'assistant', content: [] };
  rig.inference.behaviour.answer = JSON.stringify({ id: 'resp_kept', status: 'completed', output: [item] });
  await openai.responses.create({ model, input: secret });
  rig.inference.behaviour.answer = null;
  const input = `[{"type":"item_reference","id":"${item.id}"}, {"id":"rs_9"},{"role":"user","content":"And?","n":9007199254740993}]`;
  const answer = await rig.post('/v1/responses', apiKey, `{"model":"${model}","input":${input}}`);
  expect(answer.status).toBe(200);
  expect(asked()).toMatchObject({ input: [item, { id: 'rs_9' }, { role: 'user', content: 'And?' }] });
  expect(Buffer.from(rig.inference.calls.at(-1)?.body ?? []).toString()).toContain('"n":9007199254740993}]');
});

it('takes apart on threads what is dear of kept responses, and no part of it on the event loop', async () => {
  const values = new Array<number>(100_000).fill(0);
  const item = { id: 'msg_dear', type: 'message', role: 'assistant', content: [{ type: 'output_text', values }] };
  const told = { id: 'resp_dear', status: 'completed', metadata: { conversation: 'none' }, values, output: [item] };
  rig.inference.behaviour.answer = JSON.stringify(told);
  const { id: conversation } = await openai.conversations.create();
  const question = { ...message('And?'), values: values.slice(0, 50_000) };
  const bodies = [
    { input: 'x' },
    { input: [question, { id: 'msg_dear' }], store: false },
    { previous_response_id: 'resp_dear', input: 'And?', store: false },
    { conversation, input: [question], store: false },
  ].map((body) => JSON.stringify({ model, ...body }));
  const parse = jest.spyOn(JSON, 'parse');
  const stringify = jest.spyOn(JSON, 'stringify');
  const statuses = [];
  for (const body of bodies) {
    const answer = await rig.post('/v1/responses', apiKey, body);
    await answer.text();
    statuses.push([answer.status, answer.headers.get('x-gateway-warnings')]);
  }
  const longest = Math.max(
    ...parse.mock.calls.map(([text]) => text.length),
    ...stringify.mock.results.map(({ value }) => String(value).length),
  );
  jest.restoreAllMocks();
  rig.inference.behaviour.answer = null;
  expect(statuses).toEqual(bodies.map(() => [200, null]));
  expect(longest).toBeLessThan(90_000);
  const asked = rig.inference.calls.slice(-4).map(({ body }) => JSON.parse(Buffer.from(body).toString()) as object);
  expect(asked).toMatchObject([{}, { input: [question, item] }, { input: [message('x'), item, message('And?')] }, {}]);
  const kept = rig.metering.conversations.all.find(({ id }) => id === conversation);
  expect(kept?.parts.map(({ itemId }) => itemId)).toEqual([expect.stringMatching(/^msg_/), 'msg_dear']);
});

it('holds the guardrails of now against the whole conversation', async () => {
  const { id } = await openai.responses.create({ model, input: 'the word is swordfish' });
  const rule = { id: 'word', kind: 'regex', action: 'redact', patterns: ['swordfish'], appliesTo: 'input' };
  rig.catalog.change({ guardrails: [guardrail.parse(rule)] });
  const next = { model, previous_response_id: id, input: [message('swordfish again')] };
  const seen = await eventually(
    async () => {
      await openai.responses.create(next);
      return JSON.stringify(asked());
    },
    (text) => !text.includes('swordfish'),
    10_000,
  );
  expect(seen).toContain('the word is ');
  expect(seen).toContain(' again');
  rig.catalog.change({ guardrails: [] });
});

// Last: for five seconds after it nobody waits to be kept.
it('answers what stands alone while nothing can be kept, and says so; what does not is a 503', async () => {
  rig.metering.isAway = true;
  const { response } = await openai.responses.create({ model, input: 'x' }).withResponse();
  expect(response.headers.get('x-gateway-warnings')).toContain('was not stored');
  const streamed = await rig.post('/v1/responses', apiKey, { model, input: 'x', stream: true });
  const text = await streamed.text();
  expect(text).toContain(': tollgate: this response was not stored\n\nevent: response.completed');
  await expect(openai.responses.create({ model, previous_response_id: 'resp_1', input: 'x' })).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('Stored responses and conversations cannot be read'),
  });
});
