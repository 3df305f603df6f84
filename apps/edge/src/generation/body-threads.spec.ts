import { LargeBuffers } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import type { EventEmitter } from 'node:events';
import { inCountedTurns } from '../testing/in-counted-turns';
import { handedOver } from './body-task';
import type { BodyAnswer, BodyJob } from './body-task';
import { BodyThreads } from './body-threads';
import { operations } from './operations';

interface MockThread extends EventEmitter {
  readonly postMessage: jest.Mock<void, [BodyJob]>;
}

/** How many threads the system gives; those that it gave. */
let mockThreadsLeft = 0;
const mockThreads: MockThread[] = [];
/** What a thread answers at once; null: nothing. */
let mockAnswer: ((job: BodyJob) => BodyAnswer) | null = null;

jest.mock('node:worker_threads', () => ({
  ...jest.requireActual<object>('node:worker_threads'),
  Worker: class extends jest.requireActual<{ EventEmitter: typeof EventEmitter }>('node:events').EventEmitter {
    constructor() {
      super();
      if (mockThreadsLeft === 0) throw new Error('ERR_WORKER_INIT_FAILED');
      mockThreadsLeft -= 1;
      mockThreads.push(this);
    }
    readonly postMessage = jest.fn<void, [BodyJob]>((job) => {
      const answer = mockAnswer?.(job);
      if (answer) setImmediate(() => this.emit('message', answer));
    });
    readonly unref = jest.fn();
    readonly terminate = jest.fn();
  },
}));

/** Of the account `account`, unless its key names another: `other/key`. */
function aBody(keyId = 'key') {
  const [operation] = operations;
  if (!operation) throw new Error('there is no operation');
  const [accountId = '', name] = keyId.split('/');
  const key = { id: keyId, accountId: name ? accountId : 'account', quotaTokens: keyId.startsWith('key') ? null : 1 };
  return { operation, key, bytes: Buffer.alloc(2), providerHeaders: {}, moved: () => undefined };
}

beforeEach(() => {
  mockThreadsLeft = 0;
  mockThreads.length = 0;
  mockAnswer = null;
});

it('refuses a large body for which the system gives no thread, and lives on', async () => {
  const bodies = new BodyThreads(createLogger('test', 'silent'));
  for (let count = 0; count < 3; count += 1)
    await expect(bodies.read(aBody())).rejects.toMatchObject({ status: 503, retryAfterS: 5 });
  await bodies.onApplicationShutdown();
});

it('refuses every body that waits when a thread ends and the system gives no other', async () => {
  mockThreadsLeft = 1;
  const bodies = new BodyThreads(createLogger('test', 'silent'));
  const first = bodies.read(aBody());
  // As many as wait where a second thread may be started, and where it may not.
  const second = bodies.read(aBody());
  const [thread] = mockThreads;
  const rest = [bodies.read(aBody()), bodies.read(aBody()), bodies.read(aBody())];
  const refused = Promise.all(
    [first, second, ...rest].map((read) => expect(read).rejects.toMatchObject({ status: 503 })),
  );
  thread?.emit('exit', 1);
  await refused;
  await bodies.onApplicationShutdown();
});

it.each([
  ['keys, however many one key sends before', ['key', 'key', 'key', 'key', 'key', 'other']],
  ['accounts, however many keys one has', ['key1', 'key2', 'key3', 'key4', 'key5', 'other/key']],
])('parses bodies in turns of their %s', async (_whose, keyIds) => {
  mockThreadsLeft = 2;
  const bodies = new BodyThreads(createLogger('test', 'silent'));
  for (const keyId of keyIds) void bodies.read(aBody(keyId)).catch(() => undefined);
  const quotaOf = ({ task }: BodyJob) => task.name === 'read' && task.asker.quotaTokens;
  const begun = () => mockThreads.flatMap(({ postMessage }) => postMessage.mock.calls.map(([job]) => job));
  const atFirst = mockThreads.length;
  expect(begun().map(quotaOf)).toEqual(new Array(atFirst).fill(null));
  const failure = { refusal: { status: 400, message: 'no', guardrail: null, details: null } } as const;
  const answer: BodyAnswer = { body: new Uint8Array(0), found: [], failure };
  for (let count = 0; count < 2; count++) mockThreads[0]?.emit('message', answer);
  expect(begun()).toHaveLength(atFirst + 2);
  expect(begun().filter((job) => quotaOf(job) === 1)).toHaveLength(1);
  for (const thread of mockThreads) thread.emit('exit', 1);
  await bodies.onApplicationShutdown();
});

it('estimates the tokens of a body that no thread counts', async () => {
  mockThreadsLeft = 1;
  const bodies = new BodyThreads(createLogger('test', 'silent'));
  const reading = bodies.read(aBody());
  const facts = {
    read: { inputTokensEstimate: 12, mediaTokens: 2 },
    keepsState: false,
    textBytes: 2,
    inputAt: null,
    referencePlaces: new Uint32Array(),
  };
  mockThreads[0]?.emit('message', { body: new Uint8Array(2), found: [], read: facts });
  const { sent, bytes } = await reading;
  const counted = sent.countInputTokens(bytes);
  mockThreads[0]?.emit('exit', 1);
  expect(await counted).toBe(12);
  // What went on to inference is not taken away from it.
  expect(bytes).toHaveLength(2);
  await bodies.onApplicationShutdown();
});

it('copies what is large for a thread in turns of the event loop, and takes that memory back', async () => {
  mockThreadsLeft = 1;
  const bodies = new BodyThreads(createLogger('test', 'silent'));
  const pieces = Array.from({ length: 128 }, (_, at) => Buffer.alloc(65_536, `${at % 10}`));
  const told = { id: 'resp_1', output: Buffer.from('[]'), rest: Buffer.from('{}'), itemIds: [] };
  const memory: ArrayBufferLike[] = [];
  const given: Buffer[] = [];
  const takenApart = () => {
    mockAnswer = ({ body }) => {
      memory.push(body.buffer);
      given.push(Buffer.from(body));
      return { body, told, found: [] };
    };
    return bodies.takeApart({ id: 'key', accountId: 'account' }, pieces, false);
  };
  const { result, turns } = await inCountedTurns(takenApart);
  expect([result, turns >= 31, given[0]?.equals(Buffer.concat(pieces))]).toEqual([told, true, true]);
  // It was moved when it was given back.
  expect(memory[0]?.byteLength).toBe(0);
  await bodies.onApplicationShutdown();
});

it('has threads do what waits while what is large is copied for one, and copies one thing at a time', async () => {
  mockThreadsLeft = 2;
  const bodies = new BodyThreads(createLogger('test', 'silent'));
  const begun: string[] = [];
  mockAnswer = ({ body, task }) => {
    begun.push(`${task.name} ${body.length}`);
    return { body, found: [], told: null, items: { places: new Uint32Array(), ids: [] } };
  };
  const take = jest.spyOn(LargeBuffers.prototype, 'take');
  const large = [8_000_000, 8_000_001].map((bytes) =>
    bodies.takeApart({ id: 'key', accountId: 'account' }, [Buffer.alloc(bytes)], false),
  );
  const small = bodies.newItems({ id: 'other', accountId: 'other' }, Buffer.from(`[${'0,'.repeat(10_000)}0]`));
  await small;
  expect([begun, take.mock.calls]).toEqual([['list 20003'], [[8_000_000]]]);
  await Promise.all(large);
  expect(begun.slice(1)).toEqual(['take apart 8000000', 'take apart 8000001']);
  jest.restoreAllMocks();
  await bodies.onApplicationShutdown();
});

it('loses no thread where there is no memory for a copy', async () => {
  mockThreadsLeft = 1;
  const bodies = new BodyThreads(createLogger('test', 'silent'));
  const takenApart = () => bodies.takeApart({ id: 'key', accountId: 'account' }, [Buffer.alloc(2_000_000)], false);
  jest.spyOn(LargeBuffers.prototype, 'take').mockImplementationOnce(() => {
    throw new RangeError('no memory');
  });
  await expect(takenApart()).rejects.toThrow('no memory');
  mockAnswer = ({ body }) => ({ body, told: null, found: [] });
  expect([await takenApart(), mockThreads.length]).toEqual([null, 1]);
  jest.restoreAllMocks();
  await bodies.onApplicationShutdown();
});

it('hands what is large of a response over with the answer of a thread', () => {
  const [output, rest] = [Buffer.alloc(2_000_000), Buffer.from('{}')];
  const body = new Uint8Array(8);
  const told = { id: 'resp_1', output, rest, itemIds: [] };
  expect(handedOver({ body, told, found: [] })).toEqual([body.buffer, output.buffer]);
  expect(handedOver({ body, told: null, found: [] })).toEqual([body.buffer]);
});
