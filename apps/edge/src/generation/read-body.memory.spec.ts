import { FairMemory } from '@tollgate/messaging';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { inCountedTurns } from '../testing/in-counted-turns';
import { CallerLeft } from './caller-left';
import { InnerRequest } from './inner-exchange';
import { readBody } from './read-body';

const mebibyte = 1_048_576;

/** A request whose body never comes, of a small one that was announced. */
function upload() {
  const stream = new PassThrough();
  const headers = { 'content-length': String(mebibyte) };
  return { stream, request: Object.assign(stream, { headers }) as unknown as IncomingMessage };
}

afterEach(() => jest.restoreAllMocks());

it('is not there while the body is only announced', async () => {
  const memory = new FairMemory(64 * mebibyte);
  const lent = jest.spyOn(memory.buffers, 'lend');
  const room = { limit: mebibyte, memory, owner: { keyId: 'key', accountId: 'account' } };
  /** What this process takes more while twenty bodies are announced. */
  const taken = async () => {
    const before = process.memoryUsage().arrayBuffers;
    const uploads = Array.from({ length: 20 }, upload);
    const left = uploads.map(({ request }) => expect(readBody(request, room)).rejects.toBeInstanceOf(CallerLeft));
    await new Promise((resolve) => setImmediate(resolve));
    const more = process.memoryUsage().arrayBuffers - before;
    for (const { stream } of uploads) stream.destroy();
    await Promise.all(left);
    return more;
  };
  // What else runs in this process may take something in one of these turns, and bodies would in each.
  const rounds = [await taken(), await taken(), await taken(), await taken(), await taken()];
  expect(Math.min(...rounds)).toBeLessThan(10 * mebibyte);
  expect([lent.mock.calls, memory.usedBytes]).toEqual([[], 0]);
});

it('comes in blocks as the body does, and all of it counts', async () => {
  const memory = new FairMemory(64 * mebibyte);
  const lent = jest.spyOn(memory.buffers, 'lend');
  const room = { limit: mebibyte, memory, owner: { keyId: 'key', accountId: 'account' } };
  const { stream, request } = upload();
  const body = readBody(request, room);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  stream.write(Buffer.alloc(131_072, 'a'));
  await turn();
  expect([lent.mock.calls, memory.usedBytes]).toEqual([[[131_072]], 131_072]);
  stream.end(Buffer.alloc(mebibyte - 131_072, 'b'));
  const held = await body;
  const { bytes } = held;
  expect(lent.mock.calls).toEqual(Array.from({ length: 8 }, () => [131_072]));
  expect(bytes.equals(Buffer.concat([Buffer.alloc(131_072, 'a'), Buffer.alloc(mebibyte - 131_072, 'b')]))).toBe(true);
  expect(memory.usedBytes).toBe(mebibyte);
  held.release();
  expect(memory.usedBytes).toBe(0);
});

it('is never more than is admitted, of bodies that stall wherever they do', async () => {
  const memory = new FairMemory(64 * mebibyte);
  const room = { limit: mebibyte, memory, owner: { keyId: 'key', accountId: 'account' } };
  let lentBytes = 0;
  const { lend, keep } = memory.buffers;
  jest.spyOn(memory.buffers, 'lend').mockImplementation((bytes) => {
    lentBytes += bytes;
    return lend.call(memory.buffers, bytes);
  });
  jest.spyOn(memory.buffers, 'keep').mockImplementation((block) => {
    lentBytes -= block.byteLength;
    keep.call(memory.buffers, block);
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const uploads = Array.from({ length: 40 }, upload);
  const left = uploads.map(({ request }) => expect(readBody(request, room)).rejects.toBeInstanceOf(CallerLeft));
  for (const [at, { stream }] of uploads.entries()) stream.write(Buffer.alloc(10_000 + at * 12_000));
  while (uploads.some(({ stream }) => stream.readableLength > 0 || stream.isPaused())) await turn();
  const came = uploads.map((_, at) => 10_000 + at * 12_000);
  const sum = (lengths: readonly number[]) => lengths.reduce((all, bytes) => all + bytes, 0);
  const cameBytes = sum(came);
  // What is tiny lies as it came, and may have as much again in its stream, where it waits.
  expect(lentBytes + came.filter((bytes) => bytes <= 65_536).length * 131_072).toBe(memory.usedBytes);
  expect(memory.usedBytes).toBeLessThanOrEqual(cameBytes + uploads.length * 131_072);
  for (const { stream } of uploads) stream.destroy();
  await Promise.all(left);
  expect([lentBytes, memory.usedBytes]).toEqual([0, 0]);
});

describe('what comes of large bodies that wait, before their connections stop', () => {
  const owner = { keyId: 'key', accountId: 'account' };
  const others = { keyId: 'other', accountId: 'other' };
  const stays = new AbortController().signal;
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** Large bodies, of which the first has all the memory there is for these, and how they end. */
  async function waiting(memory: FairMemory, count: number) {
    const first = await memory.admit(others, memory.limit / 4, stays);
    const uploads = Array.from({ length: count }, upload);
    const endings: unknown[] = [];
    for (const { stream, request } of uploads) {
      request.headers['content-length'] = String(memory.limit / 4 + mebibyte);
      const room = { limit: memory.limit, memory, owner };
      void readBody(request, room).catch((error: unknown) => endings.push(error));
      stream.write(Buffer.alloc(65_536));
    }
    await turn();
    return { first, uploads, endings };
  }

  it('counts, until they have their own memory or leave', async () => {
    const memory = new FairMemory(16 * mebibyte);
    const held = await memory.admit(owner, 1, stays);
    const { first, uploads, endings } = await waiting(memory, 3);
    expect(memory.usedBytes).toBe(4 * mebibyte + 1 + 3 * 65_536);
    for (const { stream } of uploads) stream.destroy();
    while (endings.length < 3) await turn();
    expect(endings.every((ending) => ending instanceof CallerLeft)).toBe(true);
    first.release();
    held.release();
    expect(memory.usedBytes).toBe(0);
  });

  it('is bounded: of very many some are refused at once', async () => {
    const memory = new FairMemory(16 * mebibyte);
    const held = await memory.admit(owner, 1, stays);
    const { first, uploads, endings } = await waiting(memory, 400);
    expect(memory.usedBytes).toBeLessThan(memory.limit);
    expect(memory.take(65_536, 'another')).toBe(true);
    expect(endings.length).toBeGreaterThan(200);
    for (const ending of endings) expect(ending).toMatchObject({ status: 503 });
    for (const { stream } of uploads) stream.destroy();
    while (endings.length < 400) await turn();
    memory.free(65_536, 'another');
    first.release();
    held.release();
    expect(memory.usedBytes).toBe(0);
  });
});

it('is filled in turns of the event loop where a large body announced no length', async () => {
  const memory = new FairMemory(64 * mebibyte);
  const room = { limit: 16 * mebibyte, memory, owner: { keyId: 'key', accountId: 'account' } };
  const stream = new PassThrough();
  const body = readBody(Object.assign(stream, { headers: {} }) as unknown as IncomingMessage, room);
  const sent = Array.from({ length: 256 }, (_, at) => Buffer.alloc(32_768, at));
  for (const piece of sent) if (!stream.write(piece)) await once(stream, 'drain');
  const { result, turns } = await inCountedTurns(async () => {
    stream.end();
    return body;
  });
  expect(result.bytes.equals(Buffer.concat(sent))).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(31);
  result.release();
});

describe('what comes of Node, in pieces of their own memory', () => {
  const pieceBytes = 65_536;
  const room = { limit: 8 * mebibyte, memory: new FairMemory(64 * mebibyte), owner: { keyId: 'k', accountId: 'a' } };
  const text = Buffer.from('What a caller says. '.repeat((2 * mebibyte) / 20));

  /** Reads a body that comes so, and the pieces that it came in, as they are then. */
  async function read(sent: Buffer, headers: Record<string, string>) {
    const pieces: Buffer[] = [];
    for (let from = 0; from < sent.length; from += pieceBytes) {
      const part = sent.subarray(from, from + pieceBytes);
      const piece = Buffer.allocUnsafeSlow(part.length);
      part.copy(piece);
      pieces.push(piece);
    }
    const request = new IncomingMessage(new Socket());
    request.headers = { 'content-length': String(sent.length), ...headers };
    const body = readBody(request, room);
    for (const piece of pieces) request.push(piece);
    request.push(null);
    const held = await body;
    const { bytes } = held;
    const isWhole = bytes.equals(text.subarray(0, bytes.length));
    held.release();
    return { isWhole, length: bytes.length, left: pieces.reduce((sum, { length }) => sum + length, 0) };
  }

  it.each([900_000, 2 * mebibyte - 20])(
    'goes back to the system as soon as it was copied, of %d bytes',
    async (length) => {
      expect(await read(text.subarray(0, length), {})).toEqual({ isWhole: true, length, left: 0 });
    },
  );

  it('stays where a decoder still reads it', async () => {
    const sent = gzipSync(text, { level: 0 });
    const { length } = text;
    expect(await read(sent, { 'content-encoding': 'gzip' })).toEqual({ isWhole: true, length, left: sent.length });
  });
});

it.each([100_000, 2 * mebibyte])(
  'is all free where a body was refused at %d bytes, and its rest came',
  async (limit) => {
    const memory = new FairMemory(64 * mebibyte);
    const request = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage & PassThrough;
    const ended = once(request, 'end');
    const body = readBody(request, { limit, memory, owner: { keyId: 'key', accountId: 'account' } });
    for (let sent = 0; sent < 2 * limit; sent += 65_536) request.write(Buffer.alloc(65_536));
    request.end();
    await expect(body).rejects.toMatchObject({ status: 413 });
    await ended;
    await new Promise((resolve) => setImmediate(resolve));
    expect([memory.usedBytes, memory.buffers.allocatedBytes]).toEqual([0, 0]);
  },
);

it('is no object with a getter of its own, which V8 makes old at once, and all that it sees with it', async () => {
  setFlagsFromString('--allow-natives-syntax');
  // What has one is a dictionary to V8.
  const isOfAClass = runInNewContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;
  const room = { limit: 100, memory: new FairMemory(mebibyte), owner: { keyId: 'key', accountId: 'account' } };
  const read = () => readBody(new InnerRequest('/', {}, Buffer.from('{}')), room);
  await read();
  expect(isOfAClass(await read())).toBe(true);
});
