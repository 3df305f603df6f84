import { eventually } from '@tollgate/testing';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as zlib from 'node:zlib';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { AccountPace, Company, FairMemory } from '@tollgate/messaging';
import { BodyTurns, PacedBody } from './body-turns';
import { InnerRequest } from './inner-exchange';
import { CallerLeft } from './caller-left';
import { readBody as readBodyIn } from './read-body';
import type { BodyRoom } from './held-body';
import type { RequestMessage } from './inner-exchange';

/** A request whose body is fed by the test. */
function upload(headers: Record<string, string> = {}) {
  const stream = new PassThrough();
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage };
}

const room = (memory: FairMemory, limit = 10) => ({ limit, memory, owner: { keyId: 'key', accountId: 'account' } });
const mebibyte = 1_048_576;
/** All that was sent came, and it waits for no turn. */
const isRead = ({ stream }: { readonly stream: PassThrough }) =>
  stream.readableLength + stream.writableLength === 0 && !stream.isPaused();
const turn = () => new Promise((resolve) => setImmediate(resolve));
const until = async (isSo: () => boolean) => {
  while (!isSo()) await turn();
};
/** Each test has turns and a pace of its own: it owes nothing of what the one before it read. */
let bodyTurns: BodyTurns;
const readBody = (request: RequestMessage, of: BodyRoom) => readBodyIn(request, of, bodyTurns);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

type Compress = (bytes: Buffer | string) => Buffer;
/** Node has it since 22.15. */
const zstdCompressSync = Reflect.get(zlib, 'zstdCompressSync') as Compress | undefined;
/** Two bytes that ask for a window of 16 MiB. https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1 */
const wideFrame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 14 << 3, (2 << 3) | 1, 0, 0, 0x7b, 0x7d]);

beforeEach(() => {
  const bounds = { bytesPerS: 33_554_432, burstBytes: 33_554_432, peakBytesPerS: Infinity };
  bodyTurns = new BodyTurns(new AccountPace(bounds, new Company()));
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('reading a body', () => {
  it('returns all of it, whatever the pieces, and counts it until it is released', async () => {
    const memory = new FairMemory(100);
    const { stream, request } = upload();
    const body = readBody(request, room(memory));
    for (const piece of ['ab', 'cd', 'e']) stream.write(piece);
    stream.end();
    const held = await body;
    expect(held.bytes.toString()).toBe('abcde');
    expect(memory.usedBytes).toBe(5);
    held.release();
    held.release();
    expect(memory.usedBytes).toBe(0);
  });

  it('returns a large one that began inside of this edge, which comes all at once', async () => {
    const memory = new FairMemory(16 * mebibyte);
    const bytes = randomBytes(2 * mebibyte);
    const held = await readBody(new InnerRequest('/', {}, bytes), room(memory, 4 * mebibyte));
    expect(held.bytes.equals(bytes)).toBe(true);
    held.release();
    await turn();
    expect(memory.usedBytes).toBe(0);
  });

  it('reads a quarter of a mebibyte in a turn of the event loop, of all that one account sends at once', async () => {
    const memory = new FairMemory(64 * mebibyte);
    const piece = Buffer.alloc(65_536, ' ');
    // Of no announced length, so that each byte counts as it comes.
    const uploads = Array.from({ length: 20 }, () => upload());
    for (const { stream } of uploads) for (let count = 0; count < 14; count++) stream.write(piece);
    const bodies = uploads.map(({ request }) => readBody(request, room(memory, mebibyte)));
    // Whoever is new is read once before it can be told to wait: beside the shares of two turns.
    await turn();
    expect(memory.usedBytes).toBeLessThanOrEqual((uploads.length + 8) * piece.length);
    const other = upload();
    other.stream.end('small');
    const own = { limit: 10, memory, owner: { keyId: 'other', accountId: 'other' } };
    const small = readBody(other.request, own);
    let most = 0;
    const whole = uploads.length * 14 * piece.length;
    for (let before = memory.usedBytes; before < whole; before = memory.usedBytes) {
      await turn();
      most = Math.max(most, memory.usedBytes - before);
    }
    expect(most).toBeLessThanOrEqual(4 * piece.length + 5);
    expect((await small).bytes.toString()).toBe('small');
    for (const { stream } of uploads) stream.end(piece);
    for (const body of bodies) expect((await body).bytes).toHaveLength(15 * piece.length);
  });

  it('refuses one byte too many, announced or not, and holds none of it', async () => {
    const memory = new FairMemory(100);
    await expect(readBody(upload({ 'content-length': '11' }).request, room(memory))).rejects.toMatchObject({
      status: 413,
    });
    const { stream, request } = upload();
    const body = readBody(request, room(memory));
    stream.write('x'.repeat(10));
    stream.end('y');
    await expect(body).rejects.toMatchObject({ status: 413 });
    expect(memory.usedBytes).toBe(0);
  });

  it('refuses a body in very many tiny pieces, and reads no more of it', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const memory = new FairMemory(mebibyte);
    const { stream, request } = upload();
    const body = readBody(request, room(memory, mebibyte));
    for (let piece = 0; piece < 20_000; piece += 1) stream.write('x');
    await expect(body).rejects.toMatchObject({ status: 400, message: expect.stringContaining('pieces') });
    expect([memory.usedBytes, stream.isPaused(), stream.destroyed]).toEqual([0, true, false]);
    jest.advanceTimersByTime(1_000);
    expect(stream.destroyed).toBe(true);
  });

  it('looks at no piece behind the one that was too many, as thousands come with each read of a socket', async () => {
    const { request } = upload();
    const body = readBody(request, room(new FairMemory(mebibyte), mebibyte));
    for (let piece = 0; piece < 10_000; piece += 1) request.emit('data', Buffer.from('x'));
    expect(request.listenerCount('data')).toBe(0);
    expect([request.push(Buffer.from('x')), request.readableLength]).toEqual([false, 0]);
    await expect(body).rejects.toMatchObject({ status: 400 });
  });

  it('refuses a large body that dribbles, and gives its memory to others', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const memory = new FairMemory(64 * mebibyte);
    const announced = upload({ 'content-length': String(4 * mebibyte) });
    const told = upload();
    const bodies = [announced, told].map(({ request }) => readBody(request, room(memory, 4 * mebibyte)));
    const refused = Promise.all(bodies.map((body) => expect(body).rejects.toMatchObject({ status: 408 })));
    for (const { stream } of [announced, told]) stream.write(Buffer.alloc(2 * mebibyte));
    await until(() => memory.usedBytes === 8 * mebibyte && [announced, told].every(isRead));
    jest.advanceTimersByTime(10_000);
    await turn();
    for (const { stream } of [announced, told]) stream.write('x');
    // The other one is refused already: it brought nothing since it is known for a large one.
    await until(() => isRead(announced));
    jest.advanceTimersByTime(10_000);
    await refused;
    await until(() => memory.usedBytes === 0);
  });

  it('does not take a large body that waited for its turn for one that dribbles', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    jest.spyOn(PacedBody.prototype, 'takeWaitedMs').mockReturnValue(10_000);
    const { stream, request } = upload({ 'content-length': String(2 * mebibyte) });
    const body = readBody(request, room(new FairMemory(16 * mebibyte), 4 * mebibyte));
    await turn();
    jest.advanceTimersByTime(10_000);
    await turn();
    stream.end(Buffer.alloc(2 * mebibyte));
    expect((await body).bytes).toHaveLength(2 * mebibyte);
  });

  it('has patience with a large body that comes slowly but steadily, and with a small one', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    const memory = new FairMemory(16 * mebibyte);
    const large = upload({ 'content-length': String(4 * mebibyte) });
    const small = upload({ 'content-length': '8' });
    const bodies = [large, small].map(({ request }) => readBody(request, room(memory, 4 * mebibyte)));
    for (let span = 0; span < 4; span += 1) {
      large.stream.write(Buffer.alloc(mebibyte));
      small.stream.write('xx');
      await until(() => [large, small].every(isRead));
      jest.advanceTimersByTime(10_000);
      await turn();
    }
    for (const { stream } of [large, small]) stream.end();
    const lengths = (await Promise.all(bodies)).map(({ bytes }) => bytes.length);
    expect(lengths).toEqual([4 * mebibyte, 8]);
  });

  it('refuses so many pieces of a compressed body as well, whatever comes out of them', async () => {
    const { stream, request } = upload({ 'content-encoding': 'gzip' });
    const body = readBody(request, room(new FairMemory(mebibyte), mebibyte));
    const compressed = gzipSync(randomBytes(20_000), { level: 1 });
    for (const byte of compressed) stream.write(Buffer.of(byte));
    await expect(body).rejects.toMatchObject({ status: 400, message: expect.stringContaining('pieces') });
    stream.destroy();
  });

  it('refuses a compressed body of more bytes than a body may have, before anything came out of it', async () => {
    const memory = new FairMemory(mebibyte);
    const { stream, request } = upload({ 'content-encoding': 'gzip' });
    const body = readBody(request, room(memory, 100));
    // The header of a gzip may hold a name of any length: https://www.rfc-editor.org/rfc/rfc1952#page-6
    stream.write(Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(2_000, 'n')]));
    await expect(body).rejects.toMatchObject({ status: 413 });
    expect(memory.usedBytes).toBe(0);
  });

  it('counts the pieces of a body once that is not compressed', async () => {
    const { stream, request } = upload();
    const body = readBody(request, room(new FairMemory(100)));
    await turn();
    expect(stream.listenerCount('data')).toBe(1);
    stream.end('ab');
    expect((await body).bytes.toString()).toBe('ab');
  });

  it('takes as many pieces of a usual size as there are', async () => {
    const { stream, request } = upload();
    const body = readBody(request, room(new FairMemory(8 * mebibyte), 4 * mebibyte));
    for (let piece = 0; piece < 20_000; piece += 1) stream.write('x'.repeat(100));
    stream.end();
    expect((await body).bytes).toHaveLength(2_000_000);
  });

  it('keeps nothing of what sockets were read into for a small one that was announced', async () => {
    const memory = new FairMemory(8 * mebibyte);
    const { stream, request } = upload({ 'content-length': '200000' });
    const body = readBody(request, room(memory, 4 * mebibyte));
    const part = Buffer.alloc(100_000, 1);
    stream.write(part);
    await turn();
    part.fill(2);
    stream.end(part);
    const held = await body;
    const { bytes } = held;
    expect([bytes.length, bytes[0], bytes[99_999], bytes[100_000]]).toEqual([200_000, 1, 1, 2]);
    expect(memory.usedBytes).toBe(200_000);
    held.release();
    expect(memory.usedBytes).toBe(0);
  });

  it('sheds load when bodies take too much memory in all', async () => {
    const memory = new FairMemory(8);
    const first = upload();
    const held = readBody(first.request, room(memory));
    first.stream.end('12345');
    await held;
    const second = upload();
    const body = readBody(second.request, room(memory));
    second.stream.end('12');
    await expect(body).rejects.toMatchObject({ status: 503, retryAfterS: 5 });
    expect(memory.usedBytes).toBe(5);
  });

  it('stops waiting when the caller leaves, also before it began', async () => {
    const memory = new FairMemory(100);
    const { stream, request } = upload();
    const body = readBody(request, room(memory));
    stream.write('abc');
    setImmediate(() => stream.destroy());
    await expect(body).rejects.toBeInstanceOf(CallerLeft);
    expect(memory.usedBytes).toBe(0);
    await expect(readBody(request, room(memory))).rejects.toBeInstanceOf(CallerLeft);
  });

  it.each([
    ['announced', { 'content-length': String(3 * mebibyte) }],
    ['not announced', {}],
  ])(
    'puts a large one, %s, into memory of its own, which a thread can take, and holds no more than it takes',
    async (_how, headers) => {
      const memory = new FairMemory(40 * mebibyte);
      const { stream, request } = upload(headers);
      const body = readBody(request, room(memory, 4 * mebibyte));
      for (let i = 0; i < 6; i++) stream.write(Buffer.alloc(mebibyte / 2, i));
      stream.end();
      const held = await body;
      const { bytes } = held;
      expect([bytes.byteOffset, bytes.buffer.byteLength]).toEqual([0, bytes.length]);
      expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([3 * mebibyte, 0, 5]);
      expect(memory.usedBytes).toBe(3 * mebibyte);
      held.release();
      await turn();
      expect(memory.usedBytes).toBe(0);
    },
  );

  it('lies in memory that the large ones before it had, however many come, are read elsewhere, refused or broken off', async () => {
    const memory = new FairMemory(16 * mebibyte);
    const most: number[] = [];
    for (let number = 0; number < 60; number++) {
      const bytes = 2 * mebibyte - (number % 3);
      const { stream, request } = upload(number % 4 === 0 ? {} : { 'content-length': String(bytes) });
      const body = readBody(request, room(memory, 2 * mebibyte));
      if (number % 4 === 3) {
        const left = expect(body).rejects.toBeInstanceOf(CallerLeft);
        stream.write('x');
        await turn();
        stream.destroy();
        await left;
      } else {
        stream.end(Buffer.alloc(bytes));
        const held = await body;
        const there = structuredClone(held.bytes, { transfer: [held.bytes.buffer as ArrayBuffer] });
        held.moved(held.bytes, Buffer.from(there.buffer, 0, bytes));
        most.push(memory.buffers.allocatedBytes);
        held.release();
      }
    }
    await turn();
    // One is read while the memory of the one before is on its way back.
    expect([Math.max(...most), memory.usedBytes]).toEqual([4 * mebibyte, 0]);
  });

  it('does not lie in memory that others still look at', async () => {
    const memory = new FairMemory(16 * mebibyte);
    const { stream, request } = upload();
    const body = readBody(request, room(memory, 2 * mebibyte));
    stream.end(Buffer.alloc(2 * mebibyte, 'a'));
    const held = await body;
    const { bytes } = held;
    held.leave();
    held.release();
    await turn();
    expect([bytes.length, bytes[0], memory.buffers.allocatedBytes, memory.usedBytes]).toEqual([2 * mebibyte, 97, 0, 0]);
  });

  it.each([2, 2 * mebibyte])('holds a body of no announced length once: %i bytes in two pieces', async (length) => {
    const { stream, request } = upload();
    const body = readBody(request, room(new FairMemory(40 * mebibyte), 4 * mebibyte));
    const pieces = [0, 1].map(() => {
      const piece = Buffer.from(new ArrayBuffer(length / 2));
      stream.write(piece);
      return new WeakRef(piece);
    });
    stream.end();
    const held = await body;
    await eventually(() => {
      collectGarbage();
      return pieces.every((piece) => piece.deref() === undefined);
    });
    expect(held.bytes).toHaveLength(length);
    held.release();
  });

  it.each<[string, Compress, ...Buffer[]]>([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ...(zstdCompressSync ? [['zstd', zstdCompressSync, wideFrame] as [string, Compress, Buffer]] : []),
  ])('reads %s, and bounds what comes out of it', async (encoding, compress, ...refused) => {
    const memory = new FairMemory(64 * mebibyte);
    const encoded = { 'content-encoding': encoding };
    const whole = upload(encoded);
    const body = readBody(whole.request, room(memory));
    whole.stream.end(compress('{"a":1}'));
    expect((await body).bytes.toString()).toBe('{"a":1}');
    for (const [bytes, status] of [
      [compress(Buffer.alloc(mebibyte)), 413],
      [Buffer.from('no archive'), 400],
      [compress('{"a":1}').subarray(0, 8), 400],
      ...refused.map((bytes) => [bytes, 400] as const),
    ] as const) {
      const { stream, request } = upload(encoded);
      const broken = readBody(request, room(memory));
      stream.end(bytes);
      await expect(broken).rejects.toMatchObject({ status });
    }
    expect(memory.usedBytes).toBe(7);
  });

  it('keeps the turn of a compressed one that has come whole, which closes it, while it waits', async () => {
    const memory = new FairMemory(8 * mebibyte);
    const others = await memory.admit(
      { keyId: 'other', accountId: 'other' },
      6 * mebibyte,
      new AbortController().signal,
    );
    const { stream, request } = upload({ 'content-encoding': 'gzip' });
    const body = readBody(request, room(memory, 2 * mebibyte));
    stream.write(gzipSync(Buffer.alloc(1.5 * mebibyte)).subarray(0, -8));
    await eventually(() => memory.usedBytes > 7 * mebibyte - 20_000);
    stream.end(gzipSync(Buffer.alloc(1.5 * mebibyte)).subarray(-8));
    await once(stream, 'close');
    others.release();
    expect((await body).bytes).toHaveLength(1.5 * mebibyte);
  });
});
