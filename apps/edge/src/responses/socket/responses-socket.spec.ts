import { EventEmitter } from 'node:events';
import type { CallerKey } from '@tollgate/contracts/accounts';
import { FairMemory } from '@tollgate/messaging';
import type { WebSocket } from 'ws';
import { placesIn } from '../../generation/body-task';
import { LargeBody } from '../../generation/large-body';
import { CallerLeft } from '../../generation/caller-left';
import { readBody } from '../../generation/read-body';
import type { FramedSocket } from './framed-socket';
import { RememberedTurns } from './near-turns';
import { ResponsesSocket } from './responses-socket';
import type { SocketTurn } from './socket-turn';

/** A connection whose other side is the test. */
class FakeWebSocket extends EventEmitter {
  readonly told: Record<string, unknown>[] = [];
  pings = 0;
  code: number | null = null;
  isCut = false;
  /** What the other side has not read yet; null: it reads at once. */
  unread: (() => void)[] | null = null;
  send(text: string, done: () => void = () => undefined): void {
    this.told.push(JSON.parse(text) as Record<string, unknown>);
    if (this.unread) this.unread.push(done);
    else done();
  }
  close(code: number): void {
    this.code ??= code;
  }
  ping(): void {
    this.pings += 1;
  }
  terminate(): void {
    this.isCut = true;
    this.emit('close');
  }
  pause(): void {
    this.emit('paused');
  }
  resume(): void {
    this.emit('resumed');
  }
}

const memory = new FairMemory(16_777_216);
const room = { limit: 4_194_304, memory, owner: { keyId: 'a key', accountId: 'an account' } };
let ws: FakeWebSocket;
let raw: EventEmitter;
let socket: ResponsesSocket;
let turns: Pick<SocketTurn, 'message' | 'raw'>[];
beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  ws = new FakeWebSocket();
  raw = Object.assign(new EventEmitter(), { cork: () => undefined, uncork: () => undefined });
  turns = [];
  socket = new ResponsesSocket({
    ws: ws as unknown as WebSocket,
    socket: raw as unknown as FramedSocket,
    headers: {},
    path: '/v1/responses',
    requestId: 'a connection',
    caller: { digest: 'a digest', key: { id: 'a key' } as CallerKey },
    memory,
    mostBytes: 4_194_304,
    threads: { find: async (_key, json, wish) => placesIn(json instanceof LargeBody ? json.bytes : json, wish) },
    remembered: new RememberedTurns({ bodyMemory: 1_000_000 }),
    answer: (turn) => void turns.push(turn),
    onClosed: () => undefined,
  });
});
afterEach(() => {
  ws.terminate();
  jest.useRealTimers();
  expect(memory.usedBytes).toBe(0);
});

async function settled(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}
async function ask(more: object = {}): Promise<void> {
  const event = Buffer.from(JSON.stringify({ type: 'response.create', model: 'm', input: 'x', ...more }));
  raw.emit('came', event.length);
  ws.emit('message', [event]);
  await settled();
}
async function answer(turn: Pick<SocketTurn, 'raw'> | undefined): Promise<void> {
  turn?.raw.writeHead(200, {});
  turn?.raw.end('data: {"type":"response.completed"}\n\n');
  await settled();
}
const codes = () => ws.told.map(({ error }) => (error as { code?: unknown } | undefined)?.code);
const hour = 60 * 60_000;

it('closes after an hour, and says why', () => {
  jest.advanceTimersByTime(hour - 1);
  expect(ws.code).toBeNull();
  jest.advanceTimersByTime(1);
  expect([codes(), ws.code]).toEqual([['websocket_connection_limit_reached'], 1000]);
});

it('lets what runs after an hour come to its end, and begins nothing new', async () => {
  await ask();
  jest.advanceTimersByTime(hour);
  await ask();
  expect([codes(), ws.code, turns.length]).toEqual([['websocket_connection_limit_reached'], null, 1]);
  await answer(turns[0]);
  expect(ws.code).toBe(1000);
});

it('runs 16 turns at once, and the others when one of them is over', async () => {
  for (let lane = 0; lane < 18; lane++) await ask({ stream_id: `lane-${lane}` });
  expect(turns).toHaveLength(16);
  await answer(turns[3]);
  expect(turns).toHaveLength(17);
});

it('knows 32 lanes and the one without a name', async () => {
  for (let lane = 0; lane <= 32; lane++) await ask({ stream_id: `lane-${lane}` });
  expect(ws.told).toMatchObject([{ stream_id: 'lane-32', error: { code: 'websocket_stream_limit_reached' } }]);
  await ask();
  expect(ws.told).toHaveLength(1);
});

it('has 64 turns wait, and no more', async () => {
  for (let turn = 0; turn < 66; turn++) await ask();
  expect(ws.told).toMatchObject([{ status: 429, error: { type: 'rate_limit_error' } }]);
});

it('reads no further where nobody reads what it refused, until they do', async () => {
  const flow: string[] = [];
  for (const event of ['paused', 'resumed']) ws.on(event, () => flow.push(event));
  ws.unread = [];
  for (let event = 0; event < 63; event++) ws.emit('message', [Buffer.from('{}')]);
  await settled();
  expect([flow, ws.told.length]).toEqual([[], 1]);
  ws.emit('message', [Buffer.from('{}')]);
  expect(flow).toEqual(['paused']);
  ws.unread.shift()?.();
  await settled();
  expect([flow, ws.told.length]).toEqual([['paused', 'resumed'], 2]);
});

it.each(['at once', 'behind an event whose refusal nobody read'])(
  'holds nothing of what its caller left behind: an event that came %s',
  async (when) => {
    ws.unread = [];
    if (when !== 'at once') ws.emit('message', [Buffer.from('{}')]);
    const asked = ask();
    ws.terminate();
    for (const done of ws.unread) done();
    await asked;
    await settled();
    expect([memory.usedBytes, turns]).toEqual([0, []]);
  },
);

it('has no turn read that its caller left before', async () => {
  await ask();
  ws.terminate();
  await expect(turns[0] && readBody(turns[0].message, room)).rejects.toBeInstanceOf(CallerLeft);
});

it('has no fragments of what is small wait, which would hold all that came with them', () => {
  const fragments = ['{', '}'].map((text) => Buffer.from(text));
  ws.emit('message', fragments);
  expect(fragments).toEqual([]);
});

it('gives up who neither sends nor answers', () => {
  for (let look = 0; look < 4; look++) socket.look();
  raw.emit('came', 0);
  for (let look = 0; look < 4; look++) socket.look();
  expect([ws.pings, ws.isCut]).toEqual([8, false]);
  socket.look();
  expect(ws.isCut).toBe(true);
});

it('cuts off who does not answer to its end', () => {
  socket.drain();
  expect([ws.code, ws.isCut]).toEqual([1012, false]);
  jest.advanceTimersByTime(5_000);
  expect(ws.isCut).toBe(true);
});

it('cuts off who does not answer, or goes on, when its key was revoked', async () => {
  await ask();
  socket.revoke();
  expect(ws.code).toBeNull();
  jest.advanceTimersByTime(800);
  expect([ws.code, ws.isCut]).toEqual([1008, false]);
  jest.advanceTimersByTime(800);
  expect(ws.isCut).toBe(true);
});

it('reads no further in a large message than there is memory for, and takes none that creeps in', async () => {
  const paused = jest.fn();
  ws.on('paused', paused);
  raw.emit('came', 1_048_577);
  await settled();
  expect(paused).toHaveBeenCalledTimes(1);
  expect(memory.usedBytes).toBeGreaterThan(2_000_000);
  jest.advanceTimersByTime(120_000);
  expect(ws.code).toBe(1013);
});

it.each([
  ['too many bytes', [4_600_000, false], 1009],
  ['too many small fragments', [1, true], 1008],
])('reads nothing more of a message of %s', (_what, came, code) => {
  const paused = jest.fn();
  ws.on('paused', paused);
  raw.emit('came', ...came);
  expect([paused.mock.calls.length, ws.code]).toEqual([1, code]);
});

it.each(['is answered', 'is refused before it is read', 'is left'])(
  'hands a large event on as it lies, and holds nothing of it when its turn %s',
  async (how) => {
    const turn = Buffer.from(JSON.stringify({ type: 'response.create', model: 'm', input: 'x'.repeat(2_000_000) }));
    raw.emit('came', 1_100_000);
    await settled();
    raw.emit('came', turn.length - 1_100_000);
    const fragments = [turn.subarray(0, 32_768), turn.subarray(32_768)];
    ws.emit('message', fragments);
    await settled();
    // They would live on beside the copy.
    expect(fragments).toEqual([]);
    const [begun] = turns;
    expect(memory.usedBytes).toBe(turn.length);
    if (how === 'is left') {
      ws.terminate();
      await settled();
      return expect(begun && readBody(begun.message, room)).rejects.toBeInstanceOf(CallerLeft);
    }
    if (how === 'is refused before it is read') return answer(begun);
    if (!begun) throw new Error('nothing began');
    const body = await readBody(begun.message, room);
    expect(body.bytes).toHaveLength(turn.length);
    expect(JSON.parse(body.bytes.toString())).toMatchObject({ model: 'm', stream: true });
    await answer(begun);
    expect(memory.usedBytes).toBe(turn.length);
    body.release();
    await settled();
  },
);
