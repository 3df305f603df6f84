import { eventually } from '@tollgate/testing';
import OpenAI from 'openai';
import { EdgeRig } from '../../testing/edge-rig';

type Event = OpenAI.Responses.ResponseStreamEvent;

let rig: EdgeRig;
let openai: OpenAI;
const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${rig.url}/v1`, maxRetries: 0 });

beforeAll(async () => {
  rig = await EdgeRig.start();
  openai = clientOf(rig.accounts.create({ id: 'streams' }));
});
afterAll(() => rig.stop());
beforeEach(() => {
  Object.assign(rig.inference.behaviour, { chunks: 3, failAfter: null });
  rig.inference.calls.splice(0);
});

const request = { model: 'openai/gpt-5.4-mini', input: 'Hello?', background: true, stream: true } as const;
const again = (id: string, after?: number) =>
  openai.responses.retrieve(id, { stream: true, ...(after !== undefined && { starting_after: after }) });

async function read(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
const numbers = (events: readonly Event[]) => events.map(({ sequence_number: number }) => number);

/** The first event of a stream that is left behind it, as by a caller whose connection broke. */
async function begunAndLeft(): Promise<string> {
  for await (const event of await openai.responses.create(request))
    if (event.type === 'response.created') return event.response.id;
  throw new Error('the stream does not begin');
}

it('is told while it is made, each event with its number, and again from any of them', async () => {
  const events = await read(await openai.responses.create(request));
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.queued']);
  const last = events.at(-1);
  if (last?.type !== 'response.completed') throw new Error(`it ended with ${last?.type}`);
  expect(last.response).toMatchObject({ background: true, status: 'completed' });
  expect(numbers(events)).toEqual(events.map((_, number) => number));
  expect(await openai.responses.retrieve(last.response.id)).toEqual(
    expect.objectContaining({ id: last.response.id, output: last.response.output }),
  );
  const ids = events.flatMap((event) => ('response' in event ? [event.response.id] : []));
  expect(new Set(ids)).toEqual(new Set([last.response.id]));
  expect(await read(await again(last.response.id))).toEqual(events);
  for (const [after] of events.entries())
    expect(await read(await again(last.response.id, after))).toEqual(events.slice(after + 1));
});

it('goes on when its caller has left, who takes it up again', async () => {
  const letGo = rig.inference.hold();
  const id = await begunAndLeft();
  expect(await openai.responses.retrieve(id)).toMatchObject({ status: 'in_progress' });
  const resumed = again(id, 0).then(read);
  letGo();
  const events = await resumed;
  expect(events.at(0)).toMatchObject({ type: 'response.queued', sequence_number: 1 });
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id } });
});

it('never tells two makings as one: who had the first hears of it, and reads the second from its start', async () => {
  const letGo = rig.inference.hold();
  const id = await begunAndLeft();
  const first = again(id, 0).then(read);
  await eventually(
    () => Promise.resolve(rig.inference.calls.length),
    (calls) => calls === 1,
    10_000,
  );
  rig.metering.background.leaveBehind();
  await expect(first).rejects.toThrow('made again');
  letGo();
  await expect(again(id, 0)).rejects.toMatchObject({ status: 400, message: expect.stringContaining('made again') });
  const second = await read(await again(id));
  expect(second[0]).toMatchObject({ type: 'response.created', sequence_number: 1_000_000 });
  expect(second.at(-1)).toMatchObject({ type: 'response.completed', response: { id } });
  expect(numbers(second)).toEqual(second.map((_, number) => 1_000_000 + number));
  expect(await read(await again(id, 1_000_001))).toEqual(second.slice(2));
});

it('ends with why it failed, and with that it was cancelled', async () => {
  rig.inference.behaviour.failAfter = 1;
  const failed = await read(await openai.responses.create(request));
  expect(failed.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
  const letGo = rig.inference.hold();
  const id = await begunAndLeft();
  const resumed = again(id).then(read);
  await openai.responses.cancel(id);
  expect((await resumed).at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'cancelled' } });
  letGo();
});

it('is the account’s own, and only of what was streamed', async () => {
  const { id } = await openai.responses.create({ ...request, stream: false });
  await expect(again(id)).rejects.toMatchObject({ status: 400 });
  await expect(again(id, -1)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('starting_after'),
  });
  const stranger = clientOf(rig.accounts.create({ accountId: 'account-of-a-stranger' }));
  const streamed = await begunAndLeft();
  await expect(stranger.responses.retrieve(streamed, { stream: true })).rejects.toMatchObject({ status: 404 });
});

it('breaks off for a key that is revoked', async () => {
  const letGo = rig.inference.hold();
  const apiKey = rig.accounts.create({ id: 'revoked' });
  const begun = await clientOf(apiKey).responses.create(request);
  const broken = expect(read(begun)).rejects.toThrow('terminated');
  await eventually(
    () => Promise.resolve(rig.inference.calls.length),
    (calls) => calls === 1,
    10_000,
  );
  rig.accounts.change(apiKey, { keyStatus: 'revoked' });
  await broken;
  letGo();
});
