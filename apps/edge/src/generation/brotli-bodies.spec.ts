import { FairMemory } from '@tollgate/messaging';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { brotliCompressSync, constants } from 'node:zlib';
import { brotliWindow } from './body-encoding';
import { CallerLeft } from './caller-left';
import { readBody } from './read-body';

const mebibyte = 1_048_576;
const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 5 };
/** Some fifty bytes, of which its decoder writes 16 MiB before it hands on the first one. */
const bomb = brotliCompressSync(Buffer.alloc(20 * mebibyte, ' '), { params });
/** By the clock, also where timers are faked. */
const { setTimeout: realTimeout } = globalThis;
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

it('counts what its decoder takes before anything of it is decompressed, and waits for that', async () => {
  const memory = new FairMemory(128 * mebibyte);
  const uploads = Array.from({ length: 10 }, () => {
    const stream = new PassThrough();
    const headers = { 'content-encoding': 'br', 'content-length': '1000' };
    const request = Object.assign(stream, { headers }) as unknown as IncomingMessage;
    const room = { limit: 32 * mebibyte, memory, owner: { keyId: 'key', accountId: 'account' } };
    return { stream, left: expect(readBody(request, room)).rejects.toBeInstanceOf(CallerLeft) };
  });
  for (const { stream } of uploads) stream.write(bomb.subarray(0, 1));
  await turns();
  // A key has a quarter of it, 32 MiB, so that one is decompressed at a time.
  expect(memory.usedBytes).toBe(17 * mebibyte);
  for (const { stream } of uploads) stream.destroy();
  await Promise.all(uploads.map(({ left }) => left));
  expect(memory.usedBytes).toBe(0);
});

it.each([
  ['small', Buffer.from('{"a":"few words"}')],
  ['large', Buffer.alloc(3 * mebibyte, 'many words ')],
  ['empty', Buffer.alloc(0)],
])('is read whole where it is %s, and holds its own bytes alone then', async (_, text) => {
  const memory = new FairMemory(256 * mebibyte);
  const stream = new PassThrough();
  const request = Object.assign(stream, { headers: { 'content-encoding': 'br' } }) as unknown as IncomingMessage;
  const body = readBody(request, { limit: 32 * mebibyte, memory, owner: { keyId: 'k', accountId: 'a' } });
  const sent = brotliCompressSync(text);
  stream.write(sent.subarray(0, 1));
  await turns();
  stream.end(sent.subarray(1));
  const held = await body;
  const { bytes } = held;
  expect(bytes.equals(text)).toBe(true);
  expect(memory.usedBytes).toBe(text.length);
  held.release();
  await turns();
  expect(memory.usedBytes).toBe(0);
});

it.each([10, 11, 16, 17, 18, 22, 24])('sees a window of 2 ** %d in its first byte', (window) => {
  const [first = 0] = brotliCompressSync('x', { params: { [constants.BROTLI_PARAM_LGWIN]: window } });
  expect(brotliWindow(first)).toBe(2 ** window);
});

it('is decompressed beside nothing else where all of the memory is less than its decoder may take', async () => {
  const memory = new FairMemory(16 * mebibyte);
  const stream = new PassThrough();
  const request = Object.assign(stream, { headers: { 'content-encoding': 'br' } }) as unknown as IncomingMessage;
  const body = readBody(request, { limit: 65_536, memory, owner: { keyId: '', accountId: 'address' } });
  stream.end(brotliCompressSync('{}', { params }));
  const held = await body;
  const { bytes } = held;
  expect(bytes.toString()).toBe('{}');
  held.release();
  expect(memory.usedBytes).toBe(0);
});

it('has patience with one that waits for its memory to grow: nothing is read of it meanwhile', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  const memory = new FairMemory(256 * mebibyte);
  const text = randomBytes(3 * mebibyte);
  const stream = new PassThrough();
  const request = Object.assign(stream, { headers: { 'content-encoding': 'br' } }) as unknown as IncomingMessage;
  let grow: () => void = () => undefined;
  const asked = new Promise<void>((isAsked) => {
    const grown = new Promise<void>((resolve) => (grow = resolve));
    const waits = () => (isAsked(), grown);
    jest.spyOn(memory, 'admit').mockResolvedValue({ grow: waits, shrink: () => undefined, release: () => undefined });
  });
  const body = readBody(request, { limit: 32 * mebibyte, memory, owner: { keyId: 'k', accountId: 'a' } });
  const read = expect(body.then(({ bytes }) => bytes.equals(text))).resolves.toBe(true);
  const sent = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  for (let from = 0; from < sent.length; from += 65_536) stream.write(sent.subarray(from, from + 65_536));
  stream.end();
  let isWaiting = false;
  void asked.then(() => (isWaiting = true));
  // What is read of one account keeps a pace.
  while (!isWaiting) {
    jest.advanceTimersByTime(1);
    await new Promise((resolve) => realTimeout(resolve, 1));
  }
  for (let span = 0; span < 2; span++) {
    jest.advanceTimersByTime(10_000);
    await turns();
  }
  jest.useRealTimers();
  grow();
  await read;
});
