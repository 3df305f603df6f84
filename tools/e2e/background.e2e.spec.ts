import { ledgerOperations } from '@tollgate/contracts/metering';
import { eventually } from '@tollgate/testing';
import { randomUUID } from 'node:crypto';
import OpenAI from 'openai';
import { accountClient } from './plain/account-client';
import { SpokenResponses } from './plain/responses-socket';
import { startTestStack } from './test-stack';
import type { TestStack } from './test-stack';

// Long enough for a machine that does other things too: what hangs is ended, nothing is judged by it.
jest.setTimeout(600_000);

let test: TestStack;
let clients: OpenAI[];

beforeAll(async () => {
  test = await startTestStack({ instances: { edge: 2 }, environment: { EDGE_DRAIN_S: '1' } });
  const { apiKey } = await accountClient(test, 'edges');
  clients = test.stack.baseUrls.map((url) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }));
});
afterAll(() => test.stop());

const clientOf = (edge: number): OpenAI => {
  const client = clients[edge];
  if (!client) throw new Error(`there is no edge ${edge}`);
  return client;
};

/** Begins a response at the first edge, and waits until its provider has been asked for it. */
async function begin(prompt: string): Promise<{ id: string; requestId: string }> {
  const requestId = randomUUID();
  const { id } = await clientOf(0).responses.create(
    { model: 'openai/gpt-5.4-mini', input: prompt, background: true },
    { headers: { 'x-request-id': requestId } },
  );
  await asksProvider(requestId);
  return { id, requestId };
}

/** Resolves when a request is at its provider. */
const asksProvider = (requestId: string) =>
  eventually(
    () => test.provider.ledger(requestId),
    (rows) => rows.length === 1,
    10_000,
  );

const ended = (id: string) =>
  eventually(
    () => clientOf(1).responses.retrieve(id),
    ({ status }) => status !== 'queued' && status !== 'in_progress',
    90_000,
  );
async function eventsIn(stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>) {
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function eventsOf(id: string) {
  const found = await eventually(
    () => test.stack.call(ledgerOperations.explain, { id }).catch(() => null),
    (reply) => reply !== null,
    20_000,
  );
  return found?.events ?? [];
}

/** Resolves when the first edge, which was ended, answers again. */
async function isBack(): Promise<void> {
  const answers = () =>
    clientOf(0)
      .models.list()
      .then(
        () => true,
        () => false,
      );
  expect(await eventually(answers, Boolean, 60_000)).toBe(true);
}

async function expectOnce(id: string, requestId: string): Promise<void> {
  const response = await ended(id);
  expect(response).toMatchObject({ id, status: 'completed' });
  expect(response.output_text).not.toBe('');
  const rows = await test.provider.ledger(requestId);
  expect(rows.map(({ state }) => state).toSorted()).toEqual(['completed', 'cut']);
  const events = await eventsOf(requestId);
  expect(events).toHaveLength(1);
  const { input_tokens: input = -1, output_tokens: output = -1 } = response.usage ?? {};
  expect(events[0]).toMatchObject({ event: { state: 'completed', usage: { input, output } } });
  expect(events[0]?.storedNanoUsd).toBe(events[0]?.computedNanoUsd);
}

it('completes a response whose edge was stopped before it was there, and bills it once', async () => {
  const [here, there] = clients.map(({ baseURL, apiKey }) => new SpokenResponses(baseURL, apiKey ?? ''));
  const model = 'openai/gpt-5.4-mini';
  const said = await here?.answer({ model, store: true, input: 'Remember.' });
  const { id, requestId } = await begin('Move. [[sandbox: tokens=12 first_ms=10000]]');
  test.stack.process('edge').kill('SIGTERM');
  // Who speaks WebSocket with it is sent away, and goes on elsewhere.
  await eventually(() => here?.code === 1012);
  const next = await there?.answer({ model, previous_response_id: said?.response.id, input: 'And?' });
  expect(next?.response.status).toBe('completed');
  there?.close();
  await expectOnce(id, requestId);
  await isBack();
});

it('completes what a killed edge made, bills each once, and never tells two makings as one', async () => {
  const plain = await begin('Survive. [[sandbox: tokens=12 first_ms=20000]]');
  const requestId = randomUUID();
  const input = 'Be told. [[sandbox: tokens=12 first_ms=20000]]';
  const asked = { model: 'openai/gpt-5.4-mini', input, background: true, stream: true } as const;
  const stream = await clientOf(0).responses.create(asked, { headers: { 'x-request-id': requestId } });
  const first = await stream[Symbol.asyncIterator]().next();
  if (first.done || first.value.type !== 'response.created') throw new Error('the stream does not begin');
  const { id } = first.value.response;
  await asksProvider(requestId);
  const resumed = await clientOf(1).responses.retrieve(id, { stream: true, starting_after: 0 });
  expect(await clientOf(1).responses.retrieve(plain.id)).toMatchObject({ status: 'in_progress' });

  test.stack.process('edge').kill('SIGKILL');
  await expect(eventsIn(resumed)).rejects.toThrow('made again');
  const events = await eventsIn(await clientOf(1).responses.retrieve(id, { stream: true }));
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => 1_000_000 + at));
  const last = events.at(-1);
  if (last?.type !== 'response.completed') throw new Error(`it ended with ${last?.type}`);
  const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));
  expect(deltas.join('')).toBe((await clientOf(1).responses.retrieve(id)).output_text);
  await expectOnce(id, requestId);
  await expectOnce(plain.id, plain.requestId);
});

it('cancels a response that another edge makes', async () => {
  await isBack();
  const { id, requestId } = await begin('Cancel me elsewhere. [[sandbox: tokens=12 first_ms=200000]]');
  expect(await clientOf(1).responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
  const [row] = await eventually(
    () => test.provider.ledger(requestId),
    ([found]) => typeof found?.closedByPeerAt === 'number',
    20_000,
  );
  expect(row).toMatchObject({ state: 'cut', outputTokens: 0 });
  expect(await eventsOf(requestId)).toMatchObject([{ event: { state: 'cancelled' } }]);
  expect(await ended(id)).toMatchObject({ id, status: 'cancelled' });
});
