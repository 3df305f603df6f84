import { createLogger } from '@tollgate/observability';
import type { EventEmitter } from 'node:events';
import { LargeBodies } from './large-bodies';
import type { LargeBodyAnswer, LargeBodyJob } from './large-bodies';
import { answerTo } from './large-body.worker';
import { operations } from './operations';

interface MockThread extends EventEmitter {
  readonly postMessage: jest.Mock<void, [LargeBodyJob]>;
}

/** How many threads the system gives; those that it gave. */
let mockThreadsLeft = 0;
const mockThreads: MockThread[] = [];

jest.mock('node:worker_threads', () => ({
  Worker: class extends jest.requireActual<{ EventEmitter: typeof EventEmitter }>('node:events').EventEmitter {
    constructor() {
      super();
      if (mockThreadsLeft === 0) throw new Error('ERR_WORKER_INIT_FAILED');
      mockThreadsLeft -= 1;
      mockThreads.push(this);
    }
    readonly postMessage = jest.fn<void, [LargeBodyJob]>();
    readonly unref = jest.fn();
    readonly terminate = jest.fn();
  },
}));

function aBody(keyId = 'key') {
  const [operation] = operations;
  if (!operation) throw new Error('there is no operation');
  return { operation, key: { id: keyId, quotaTokens: keyId === 'key' ? null : 1 }, bytes: Buffer.alloc(2) };
}

beforeEach(() => {
  mockThreadsLeft = 0;
  mockThreads.length = 0;
});

it('refuses a large body for which the system gives no thread, and lives on', async () => {
  const bodies = new LargeBodies(createLogger('test', 'silent'));
  for (let count = 0; count < 3; count += 1)
    await expect(bodies.read(aBody())).rejects.toMatchObject({ status: 503, retryAfterS: 5 });
  await bodies.onModuleDestroy();
});

it('refuses every body that waits when a thread ends and the system gives no other', async () => {
  mockThreadsLeft = 1;
  const bodies = new LargeBodies(createLogger('test', 'silent'));
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
  await bodies.onModuleDestroy();
});

it('parses bodies in turns of their keys, however many one key sends before', async () => {
  mockThreadsLeft = 2;
  const bodies = new LargeBodies(createLogger('test', 'silent'));
  for (const keyId of ['key', 'key', 'key', 'key', 'key', 'other'])
    void bodies.read(aBody(keyId)).catch(() => undefined);
  const begun = () => mockThreads.flatMap(({ postMessage }) => postMessage.mock.calls.map(([job]) => job));
  const atFirst = mockThreads.length;
  expect(begun().map(({ quotaTokens }) => quotaTokens)).toEqual(new Array(atFirst).fill(null));
  const answer: LargeBodyAnswer = { memory: new ArrayBuffer(0), refusal: { status: 400, message: 'no' } };
  for (let count = 0; count < 2; count++) mockThreads[0]?.emit('message', answer);
  expect(begun()).toHaveLength(atFirst + 2);
  expect(begun().filter(({ quotaTokens }) => quotaTokens === 1)).toHaveLength(1);
  for (const thread of mockThreads) thread.emit('exit', 1);
  await bodies.onModuleDestroy();
});

it('gives a body back in the form of its own surface, with the facts of that', () => {
  const input = [{ role: 'user', content: [{ type: 'input_text', text: 'Grüße' }] }];
  const tools = [{ type: 'function', name: 'look', parameters: {} }];
  const body = Buffer.from(JSON.stringify({ model: 'p/m', input, tools }, null, 4));
  const memory = new ArrayBuffer(body.length);
  body.copy(Buffer.from(memory));
  const answer = answerTo({ path: '/v1/chat/completions', memory, quotaTokens: null });
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Grüße' }] }];
  const nested = [{ type: 'function', function: { name: 'look', parameters: {} } }];
  expect(JSON.parse(Buffer.from(answer.memory).toString())).toEqual({ model: 'p/m', messages, tools: nested });
  expect(answer.facts).toMatchObject({ read: { model: 'p/m' }, textBytes: answer.memory.byteLength });
  expect(answerTo({ path: '/v1/chat/completions', memory: answer.memory, quotaTokens: null }).memory).toBe(
    answer.memory,
  );
});
