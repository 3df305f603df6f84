import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { freedWhenSent, inPieces } from './in-pieces';

const mebibyte = 1_048_576;
const large = Buffer.alloc(6 * mebibyte, 'a large answer ');
/** As long as a list of all models. */
const list = Buffer.alloc(252_000, 'a list ');
let server: FastifyInstance;
let url: string;
/** What was handed to the socket of the last caller in each turn of the event loop, bytes. */
let handed: number[];
let isOver: boolean;
/** All that ever were connected. */
const sockets: Socket[] = [];
/** Answers that wait to be given at once. */
let asked: (() => void)[] = [];
/** Hears of memory that is not looked at any more. */
let freed: (memory: Buffer) => void = () => undefined;
/** The last answer, as it was handed to Fastify. */
let told: unknown;
const errors: string[] = [];

beforeAll(async () => {
  const logger = { level: 'error', stream: { write: (line: string) => void errors.push(line) } };
  server = Fastify({ exposeHeadRoutes: true, logger });
  server.addHook('onSend', (_request, reply, payload, done) => {
    told = inPieces(payload, reply);
    done(null, told);
  });
  server.get('/large', () => large);
  server.get('/own', () => {
    const own = Buffer.from(large);
    return freedWhenSent(own, () => freed(own));
  });
  server.get('/list', () => new Promise((resolve) => asked.push(() => resolve(list))));
  server.get('/small', () => large.subarray(0, 1_000));
  server.server.on('connection', watch);
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  handed = [];
  errors.length = 0;
  isOver = false;
});
afterEach(() => (isOver = true));
afterAll(() => server.close());

function watch(socket: Socket): void {
  let before = 0;
  sockets.push(socket);
  const look = () => {
    handed.push(socket.bytesWritten - before);
    before = socket.bytesWritten;
    if (!isOver) setImmediate(look);
  };
  look();
}

it('goes out by a quarter of a mebibyte in a turn of the event loop, whole and with its length', async () => {
  const answer = await fetch(`${url}/large`, { headers: { connection: 'close' } });
  const body = Buffer.from(await answer.arrayBuffer());
  expect([answer.headers.get('content-length'), answer.headers.get('transfer-encoding')]).toEqual([
    String(large.length),
    null,
  ]);
  expect(body.equals(large)).toBe(true);
  expect(Math.max(...handed)).toBeLessThan(mebibyte);
});

it('shares a turn with all others that go out at the same time', async () => {
  const callers = 16;
  asked = [];
  const answers = Array.from({ length: callers }, async () =>
    Buffer.from(await (await fetch(`${url}/list`, { headers: { connection: 'close' } })).arrayBuffer()),
  );
  while (asked.length < callers) await new Promise((resolve) => setImmediate(resolve));
  const written = () => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0);
  const inTurns: number[] = [];
  const all = written() + callers * list.length;
  for (const answer of asked) answer();
  for (let before = written(); before < all;) {
    await new Promise((resolve) => setImmediate(resolve));
    inTurns.push(written() - before);
    before = written();
  }
  expect((await Promise.all(answers)).every((body) => body.equals(list))).toBe(true);
  expect(Math.max(...inTurns)).toBeLessThan(640 * 1024);
});

it('tells its length to who asks for nothing else, and is one piece where it is small', async () => {
  const head = await fetch(`${url}/large`, { method: 'HEAD', headers: { connection: 'close' } });
  expect([head.headers.get('content-length'), (await head.arrayBuffer()).byteLength]).toEqual([
    String(large.length),
    0,
  ]);
  const small = await fetch(`${url}/small`, { headers: { connection: 'close' } });
  expect((await small.arrayBuffer()).byteLength).toBe(1_000);
});

it.each([
  ['is sent', true],
  ['is not wanted any more', false],
])('has its memory freed when it %s, and not before', async (_when, isRead) => {
  const free = new Promise<void>((resolve) => {
    // As it is when the system has it back.
    freed = (memory) => resolve(void memory.fill(0));
  });
  const caller = new AbortController();
  const answer = await fetch(`${url}/own`, { headers: { connection: 'close' }, signal: caller.signal });
  if (isRead) expect(Buffer.from(await answer.arrayBuffer()).equals(large)).toBe(true);
  else caller.abort();
  await free;
});

it('logs no error where who asks for its length alone has it before all pieces were looked at', async () => {
  // As the system takes it: nothing is left to look at.
  freed = (memory) => void structuredClone(memory.buffer, { transfer: [memory.buffer as ArrayBuffer] });
  await fetch(`${url}/own`, { method: 'HEAD', headers: { connection: 'close' } });
  expect(told).toBeInstanceOf(Readable);
  await finished(told as Readable);
  expect(errors).toEqual([]);
});
