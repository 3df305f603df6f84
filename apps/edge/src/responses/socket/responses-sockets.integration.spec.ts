import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import type { ClientOptions } from 'ws';
import { EdgeRig, eventually } from '../../testing/edge-rig';
import { rawRequest } from '../../testing/raw-request';

type Event = Record<string, unknown> & { type: string; response?: Record<string, unknown> };

let rig: EdgeRig;
let apiKey: string;
beforeAll(async () => {
  rig = await EdgeRig.start({ EDGE_BODY_LIMIT: '4194304', EDGE_MAX_CONNECTIONS: '400', EDGE_DRAIN_S: '5' });
  apiKey = rig.accounts.create();
});
afterAll(() => rig.stop());
afterEach(() => {
  rig.metering.turns.parts.splice(0);
  Object.assign(rig.inference.behaviour, { chunks: 3, pauseMs: 0, failAfter: null });
});

const model = 'openai/gpt-5.4-mini';
const ask = { type: 'response.create', model, store: false };
const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
/** What the last request brought to inference. */
const asked = () => JSON.parse(Buffer.from(rig.inference.calls.at(-1)?.body ?? []).toString()) as Event;

/** A caller's connection, and all that was said on it. */
class Caller {
  readonly events: Event[] = [];

  private constructor(readonly ws: WebSocket) {
    ws.on('message', (data: Buffer) => this.events.push(JSON.parse(data.toString()) as Event));
  }

  static async open(key = apiKey, options: ClientOptions = {}, address = `${rig.url}/v1`): Promise<Caller> {
    const headers = { authorization: `Bearer ${key}`, ...options.headers };
    const ws = new WebSocket(`${address.replace('http', 'ws')}/responses`, { ...options, headers });
    const caller = new Caller(ws);
    await once(ws, 'open');
    return caller;
  }

  /** All events up to the one that ends what is asked for. */
  async turn(event: object | string): Promise<Event[]> {
    const from = this.events.length;
    this.ws.send(typeof event === 'string' ? event : JSON.stringify(event));
    const ends = ({ type }: Event) => type === 'response.completed' || type === 'error';
    await eventually(() => this.events.slice(from).some(ends));
    return this.events.slice(from);
  }

  async closed(): Promise<number> {
    const [code] = (await once(this.ws, 'close')) as [number];
    return code;
  }
}

/** The answer to a connection that is refused. */
async function refusal(options: ClientOptions): Promise<IncomingMessage> {
  const ws = new WebSocket(`${rig.url.replace('http', 'ws')}/v1/responses`, options);
  ws.on('error', () => undefined);
  const [, answer] = (await once(ws, 'unexpected-response')) as [unknown, IncomingMessage];
  answer.resume();
  return answer;
}

it('makes responses one after the other, each with the events of a stream, as if they had been posted', async () => {
  const caller = await Caller.open();
  const events = await caller.turn({ ...ask, input: 'Hello?' });
  expect(events.map(({ type }) => type)).toEqual([
    'response.output_item.added',
    ...Array<string>(3).fill('response.output_text.delta'),
    'response.completed',
  ]);
  expect(asked()).toEqual({ model, store: false, input: 'Hello?', stream: true });
  expect(rig.inference.calls.at(-1)?.request).toMatchObject({ surface: 'openai-responses', stream: true });
  expect(await caller.turn({ ...ask, input: 'And?' })).toHaveLength(5);
  caller.ws.close();
  expect(await caller.closed()).toBe(1005);
});

it('is at the addresses of other gateways, too', async () => {
  const caller = await Caller.open(apiKey, {}, `${rig.url}/openai`);
  expect(await caller.turn({ ...ask, input: 'Hello?' })).toHaveLength(5);
  caller.ws.terminate();
});

it('goes on from a response that is kept nowhere but on its connection', async () => {
  const caller = await Caller.open();
  await caller.turn({ ...ask, input: 'Hello?' });
  await caller.turn({ ...ask, input: [user('And?')], previous_response_id: 'resp_1' });
  expect(asked().input).toEqual([user('Hello?'), user('And?')]);
  await caller.turn({ ...ask, input: [user('Then?')], previous_response_id: 'resp_1' });
  expect(asked().input).toEqual([user('Hello?'), user('And?'), user('Then?')]);
  expect(rig.metering.turns.parts).toEqual([]);
  const other = await Caller.open();
  const [error] = await other.turn({ ...ask, input: [user('And?')], previous_response_id: 'resp_1' });
  expect(error).toMatchObject({
    type: 'error',
    status: 400,
    error: { type: 'invalid_request_error', code: 'previous_response_not_found', param: 'previous_response_id' },
  });
  caller.ws.terminate();
  other.ws.terminate();
});

it('keeps what is to be kept, for every connection', async () => {
  const caller = await Caller.open();
  await caller.turn({ ...ask, store: true, input: 'Hello?' });
  const other = await Caller.open();
  await other.turn({ ...ask, input: [user('And?')], previous_response_id: 'resp_1' });
  expect(asked().input).toEqual([user('Hello?'), user('And?')]);
  caller.ws.terminate();
  other.ws.terminate();
});

it('prepares a turn without asking any provider, and goes on from there', async () => {
  const caller = await Caller.open();
  const calls = rig.inference.calls.length;
  const [created, completed] = await caller.turn({ ...ask, generate: false, input: [user('Be brief.')] });
  const { id } = completed?.response ?? {};
  expect([created?.type, created?.response?.id]).toEqual(['response.created', id]);
  expect(completed).toMatchObject({ response: { status: 'completed', output: [], usage: { total_tokens: 0 } } });
  expect(rig.inference.calls).toHaveLength(calls);
  await caller.turn({ ...ask, input: [user('Hello?')], previous_response_id: id });
  expect(asked().input).toEqual([user('Be brief.'), user('Hello?')]);
  expect(await caller.turn({ ...ask, generate: false, input: [] })).toHaveLength(2);
  const posted = await rig.post('/v1/responses', apiKey, { model, input: 'x', generate: false });
  expect([posted.status, await posted.text()]).toEqual([400, expect.stringContaining("'generate'")]);
  caller.ws.terminate();
});

it('runs lanes beside each other, says of which each event is, and each lane in order', async () => {
  const caller = await Caller.open();
  const letGo = rig.inference.hold();
  for (const [stream_id, input] of [
    ['a', 'first'],
    ['b', 'second'],
    ['a', 'third'],
  ])
    caller.ws.send(JSON.stringify({ ...ask, stream_id, input }));
  const calls = rig.inference.calls.length;
  await eventually(() => rig.inference.calls.length === calls + 2);
  letGo();
  await eventually(() => caller.events.filter(({ type }) => type === 'response.completed').length === 3);
  expect(new Set(caller.events.map(({ stream_id }) => stream_id))).toEqual(new Set(['a', 'b']));
  expect(asked().input).toBe('third');
  caller.ws.terminate();
});

it('forgets what a turn failed to go on from, in its own lane alone', async () => {
  const caller = await Caller.open();
  await caller.turn({ ...ask, stream_id: 'a', input: 'Hello?' });
  const from = { previous_response_id: 'resp_1', input: [user('And?')] };
  expect(await caller.turn({ ...ask, ...from, stream_id: 'b', temperature: 9 })).toMatchObject([{ status: 400 }]);
  expect(await caller.turn({ ...ask, ...from, stream_id: 'a', temperature: 9 })).toMatchObject([{ status: 400 }]);
  const [error] = await caller.turn({ ...ask, ...from, stream_id: 'a' });
  expect(error).toMatchObject({ stream_id: 'a', error: { code: 'previous_response_not_found' } });
  caller.ws.terminate();
});

it.each([
  ['no JSON', '{', { status: 400, error: { type: 'invalid_request_error' } }],
  ['no event', '{"model":"x"}', { status: 400, error: { param: 'type' } }],
  ['the background', JSON.stringify({ ...ask, input: 'x', background: true }), { error: { param: 'background' } }],
  ['a lane without a name', JSON.stringify({ ...ask, stream_id: '' }), { error: { code: 'invalid_stream_id' } }],
  ['an unknown model', JSON.stringify({ ...ask, model: 'no/model', input: 'x' }), { status: 404 }],
])('says what is wrong with %s, and goes on', async (_what, event, told) => {
  const caller = await Caller.open();
  expect(await caller.turn(event)).toMatchObject([{ type: 'error', ...told }]);
  expect(await caller.turn({ ...ask, input: 'Hello?' })).toHaveLength(5);
  caller.ws.terminate();
});

it('tells limits of each turn as HTTP does, and when to come back', async () => {
  const caller = await Caller.open(rig.accounts.create({ rpm: 2 }));
  await caller.turn({ ...ask, input: 'Hello?' });
  const [error] = await caller.turn({ ...ask, input: 'Hello?' });
  const headers = { 'retry-after': expect.any(String) as string, 'x-tollgate-limit': 'rpm' };
  expect(error).toMatchObject({ type: 'error', status: 429, error: { type: 'rate_limit_error', code: null }, headers });
  caller.ws.terminate();
});

it('tells a fault in the middle of an answer, with its status, and goes on', async () => {
  const caller = await Caller.open();
  rig.inference.behaviour.failAfter = 1;
  const events = await caller.turn({ ...ask, input: 'Hello?' });
  expect(events.at(-1)).toMatchObject({ type: 'error', status: 502, error: { type: 'upstream_error', code: null } });
  rig.inference.behaviour.failAfter = null;
  expect(await caller.turn({ ...ask, input: 'Hello?' })).toHaveLength(5);
  caller.ws.terminate();
});

it('stops what a caller no longer waits for', async () => {
  const caller = await Caller.open();
  rig.inference.behaviour.pauseMs = 10_000;
  caller.ws.send(JSON.stringify({ ...ask, input: 'Hello?' }));
  await eventually(() => caller.events.length > 0);
  const call = rig.inference.calls.at(-1);
  caller.ws.terminate();
  await eventually(() => rig.inference.stops.has(call?.request.requestId ?? ''));
});

it('refuses at the door who has no key, one that is wrong, or no request left', async () => {
  expect((await refusal({})).statusCode).toBe(401);
  const wrong = await refusal({ headers: { authorization: 'Bearer tg_sk_wrong' } });
  expect([wrong.statusCode, wrong.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  const spent = rig.accounts.create({ rpm: 1 });
  (await Caller.open(spent)).ws.terminate();
  expect((await refusal({ headers: { authorization: `Bearer ${spent}` } })).headers['x-tollgate-limit']).toBe('rpm');
});

describe('a revoked key', () => {
  it('ends connections that wait for nothing', async () => {
    const key = rig.accounts.create();
    const caller = await Caller.open(key);
    const other = await Caller.open();
    await caller.turn({ ...ask, input: 'Hello?' });
    const over = caller.closed();
    rig.accounts.change(key, { keyStatus: 'revoked' });
    expect(await over).toBe(1008);
    expect(await other.turn({ ...ask, input: 'Hello?' })).toHaveLength(5);
    other.ws.terminate();
  });

  it('ends what runs, which is told so, and begins nothing that waits', async () => {
    const key = rig.accounts.create();
    const caller = await Caller.open(key);
    rig.inference.behaviour.pauseMs = 10_000;
    for (const input of ['Hello?', 'And?']) caller.ws.send(JSON.stringify({ ...ask, input }));
    await eventually(() => caller.events.length > 0);
    const calls = rig.inference.calls.length;
    const over = caller.closed();
    rig.accounts.change(key, { keyStatus: 'revoked' });
    expect(await over).toBe(1008);
    expect(caller.events.at(-1)).toMatchObject({ type: 'error', status: 401, error: { type: 'authentication_error' } });
    await eventually(() => rig.inference.stops.has(rig.inference.calls.at(-1)?.request.requestId ?? ''));
    expect(rig.inference.calls).toHaveLength(calls);
  });

  it('ends them too when the notice was lost, and when it is the account that may not go on', async () => {
    const key = rig.accounts.create();
    const caller = await Caller.open(key);
    const over = caller.closed();
    rig.accounts.change(key, { accountStatus: 'suspended' }, true);
    expect(await over).toBe(1008);
  });
});

it('takes no message that is larger than a body may be', async () => {
  const caller = await Caller.open();
  const over = caller.closed();
  caller.ws.send(JSON.stringify({ ...ask, input: 'x'.repeat(4_194_304) }));
  expect(await over).toBe(1009);
});

it('takes a large one as it is', async () => {
  const caller = await Caller.open();
  const input = 'x '.repeat(700_000);
  expect(await caller.turn({ ...ask, input, stream_id: 'a' })).toHaveLength(5);
  expect(asked()).toEqual({ model, store: false, input, stream: true });
  caller.ws.terminate();
});

it('tells the headers of each answer to who asks for them', async () => {
  const caller = await Caller.open(apiKey, { headers: { 'x-tollgate-headers': 'on', 'x-request-id': 'mine' } });
  for (const turn of [1, 2]) {
    const [told] = await caller.turn({ ...ask, input: 'Hello?' });
    const headers = { 'x-gateway-provider': 'openai', 'x-request-id': `mine-${turn}` };
    expect(told).toMatchObject({ type: 'response.metadata', headers });
  }
  caller.ws.terminate();
});

it('passes over the wish for a protocol that it does not speak', async () => {
  const body = JSON.stringify({ model, input: 'Hello?' });
  const lines = [
    'POST /v1/responses HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA',
  ];
  const { statuses, text } = await rawRequest(rig.port, `${lines.join('\r\n')}\r\n\r\n${body}`);
  expect(statuses).toEqual([200]);
  expect(text).toContain('"id":"resp_1"');
});

it('finishes what runs when edge stops, and closes what waits for nothing at once', async () => {
  const leaving = await EdgeRig.start({ EDGE_DRAIN_S: '20' });
  const key = leaving.accounts.create();
  const idle = await Caller.open(key, {}, `${leaving.url}/v1`);
  const busy = await Caller.open(key, {}, `${leaving.url}/v1`);
  const letGo = leaving.inference.hold();
  busy.ws.send(JSON.stringify({ ...ask, input: 'Hello?' }));
  await eventually(() => leaving.inference.calls.length === 1);
  const ends = [idle.closed(), busy.closed()];
  const stopped = leaving.service.stop();
  expect(await ends[0]).toBe(1012);
  letGo();
  expect(await ends[1]).toBe(1012);
  expect(busy.events.at(-1)?.type).toBe('response.completed');
  await stopped;
  await leaving.stop();
});
