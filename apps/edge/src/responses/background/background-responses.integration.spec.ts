import { eventually } from '@tollgate/testing';
import OpenAI from 'openai';
import { Clock } from '../../clock';
import { EdgeRig } from '../../testing/edge-rig';

let rig: EdgeRig;
let openai: OpenAI;
let stranger: OpenAI;
const model = 'openai/gpt-5.4-mini';
const clientOf = (apiKey: string, url = rig.url) => new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });

beforeAll(async () => {
  rig = await EdgeRig.start();
  openai = clientOf(rig.accounts.create());
  stranger = clientOf(rig.accounts.create({ accountId: 'account-of-a-stranger' }));
});
afterAll(() => rig.stop());
beforeEach(() => {
  rig.metering.isAway = false;
  rig.inference.behaviour.failAfter = null;
  rig.inference.calls.splice(0);
});

const begin = (more: object = {}) => openai.responses.create({ model, input: 'Hello?', background: true, ...more });
const ended = (id: string) =>
  eventually(
    () => openai.responses.retrieve(id),
    ({ status }) => status !== 'queued' && status !== 'in_progress',
    20_000,
  );
/** What a request brought to inference. */
const asked = (at: number): unknown => JSON.parse(Buffer.from(rig.inference.calls[at]?.body ?? []).toString());

it('answers at once, and is told while it is made and when it is there', async () => {
  const letGo = rig.inference.hold();
  const begun = await begin({ metadata: { of: 'mine' } });
  expect(begun).toMatchObject({ object: 'response', status: 'queued', background: true, store: true, output: [] });
  expect(begun.metadata).toEqual({ of: 'mine' });
  expect(await openai.responses.retrieve(begun.id)).toMatchObject({ id: begun.id, status: 'in_progress' });
  // Asked for again and again, it is told without a look at what it is made from.
  expect(rig.metering.turns.reads).not.toContain(begun.id);
  await expect(openai.responses.create({ model, input: 'x', previous_response_id: begun.id })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('still being made'),
  });
  letGo();
  const response = await ended(begun.id);
  expect(response).toMatchObject({ id: begun.id, status: 'completed', background: true });
  expect(response.created_at).toBe(begun.created_at);
  expect(asked(0)).not.toHaveProperty('background');
  await openai.responses.create({ model, input: 'And?', previous_response_id: begun.id });
  expect(JSON.stringify(asked(1))).toContain('Hello?');
  await eventually(() => rig.metering.background.rows.length === 0);
  expect(rig.metering.turns.parts.filter(({ id }) => id.startsWith(begun.id))).toHaveLength(1);
});

it('is made at once whatever its window, and says that this brings no discount', async () => {
  const warningsOf = async (completion_window: string): Promise<string | null> => {
    const body = { background_options: { completion_window } };
    const { data, response } = await openai.responses
      .create({ model, input: 'Hello?', background: true, ...body })
      .withResponse();
    expect(await ended(data.id)).toMatchObject({ status: 'completed' });
    return response.headers.get('x-gateway-warnings');
  };
  expect(await warningsOf('soonest')).toBeNull();
  expect(await warningsOf('8h')).toBe(
    'completion_window 8h brings no discount here: the response is made at once, at the usual price',
  );
  expect(asked(1)).not.toHaveProperty('background_options');
});

it.each([false, true])('tells its charge to who asked for it, once it is there (stream: %s)', async (stream) => {
  const asking = { headers: { 'x-tollgate-cost': 'on' } };
  const body = { model, input: 'Hello?', background: true, stream };
  const begun = await openai.post('/responses', { body, ...asking, __binaryResponse: true });
  const [, id = ''] = /"id":"(resp_[^"]+)"/.exec(await (begun as Response).text()) ?? [];
  expect(await ended(id)).toMatchObject({ status: 'completed', x_tollgate_cost: '0.00003' });
  const { id: untold } = await begin();
  expect(await ended(untold)).not.toHaveProperty('x_tollgate_cost');
});

it('is cancelled while it is made: the generation ends, and it stays as it was then', async () => {
  const letGo = rig.inference.hold();
  const { id } = await begin();
  const call = await eventually(
    () => Promise.resolve(rig.inference.calls[0]),
    (found) => found !== undefined,
    10_000,
  );
  expect(await openai.responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
  // What it is made from is not looked at, which may be large.
  expect(rig.metering.turns.reads).not.toContain(id);
  await eventually(
    () => Promise.resolve(rig.inference.stops.get(call?.request.requestId ?? '')),
    (stop) => stop?.reason === 'caller_left',
    10_000,
  );
  expect(await openai.responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
  letGo();
  await eventually(
    () => Promise.resolve(rig.metering.background.rows),
    (rows) => rows.length === 0,
    10_000,
  );
  expect(await openai.responses.retrieve(id)).toMatchObject({ id, status: 'cancelled', output: [] });
});

it('gives one that is there back where it is cancelled, and refuses to cancel one that was waited for', async () => {
  const { id } = await begin();
  await ended(id);
  expect(await openai.responses.cancel(id)).toMatchObject({ id, status: 'completed' });
  const waited = await openai.responses.create({ model, input: 'Hello?' });
  await expect(openai.responses.cancel(waited.id)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('Cannot cancel a synchronous response.'),
  });
});

it('is made again by the edge that finds it left behind, under the same event', async () => {
  const letGo = rig.inference.hold();
  const { id } = await begin();
  await eventually(
    () => Promise.resolve(rig.inference.calls.length),
    (calls) => calls === 1,
    10_000,
  );
  rig.metering.background.leaveBehind();
  await eventually(
    () => Promise.resolve(rig.inference.calls.length),
    (calls) => calls === 2,
    20_000,
  );
  letGo();
  expect(await ended(id)).toMatchObject({ id, status: 'completed' });
  const [first, second] = rig.inference.calls.map(({ request }) => request);
  expect(second).toMatchObject({ eventId: first?.eventId, requestId: first?.requestId, keyId: first?.keyId });
  expect(asked(1)).toEqual(asked(0));
  expect(rig.metering.events.filter((event) => event.id === first?.eventId)).toHaveLength(1);
});

it('says why it failed', async () => {
  rig.inference.behaviour.failAfter = 0;
  const { id } = await begin();
  expect(await ended(id)).toMatchObject({ status: 'failed', error: { code: 'server_error' }, output: [] });
});

it("is nobody else's", async () => {
  const letGo = rig.inference.hold();
  const { id } = await begin();
  const missing = { status: 404, error: { message: `Response with id '${id}' not found.` } };
  await expect(stranger.responses.retrieve(id)).rejects.toMatchObject(missing);
  await expect(stranger.responses.cancel(id)).rejects.toMatchObject(missing);
  letGo();
  expect(await ended(id)).toMatchObject({ status: 'completed' });
});

it('is there for ten minutes where it is not to be stored', async () => {
  const begun = await begin({ store: false });
  const { id } = begun;
  expect(begun).toMatchObject({ status: 'queued', store: false });
  expect(await ended(id)).toMatchObject({ id, status: 'completed', store: false });
  expect(asked(0)).toMatchObject({ store: false });
  const kept = (await begin()).id;
  await ended(kept);
  const now = jest.spyOn(rig.service.get(Clock), 'nowMs').mockReturnValue(Date.now() + 601_000);
  await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  expect(await openai.responses.retrieve(kept)).toMatchObject({ status: 'completed' });
  now.mockRestore();
});

it('is refused while nothing can be kept, when others are served', async () => {
  rig.metering.isAway = true;
  await expect(begin()).rejects.toMatchObject({ status: 503, message: expect.stringContaining('background') });
  await expect(openai.responses.create({ model, input: 'x', store: false })).resolves.toBeDefined();
});

it('is refused, with why, by an edge that keeps nothing; so are conversations', async () => {
  const without = await EdgeRig.start({ EDGE_STORE_RESPONSES: 'false' });
  const client = clientOf(without.accounts.create(), without.url);
  const keepsNone = { status: 400, message: expect.stringContaining('keeps no responses') };
  await expect(client.responses.create({ model, input: 'x', background: true })).rejects.toMatchObject(keepsNone);
  await expect(client.conversations.create({})).rejects.toMatchObject(keepsNone);
  await expect(client.responses.create({ model, input: 'x', conversation: 'conv_1' })).rejects.toMatchObject(keepsNone);
  await expect(client.responses.create({ model, input: 'x' })).resolves.toMatchObject({ status: 'completed' });
  await without.stop();
});
