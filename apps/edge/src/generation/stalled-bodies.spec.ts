import { AccountPace, Company, FairMemory } from '@tollgate/messaging';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BodyTurns } from './body-turns';
import { CallerLeft } from './caller-left';
import { leavingTurns } from './in-turns';
import { readBody } from './read-body';

const mebibyte = 1_048_576;
const owner = { keyId: 'key', accountId: 'account' };

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => {
  jest.useRealTimers();
});

/** A quarter of a body of so many bytes comes, and then its caller leaves. */
async function stall(bytes: number, memory: FairMemory): Promise<void> {
  const stream = new PassThrough();
  const request = Object.assign(stream, { headers: { 'content-length': `${bytes}` } }) as unknown as IncomingMessage;
  const body = readBody(request, { limit: mebibyte, memory, owner });
  stream.write(Buffer.alloc(bytes / 4, 'x'));
  await nextTurn();
  stream.destroy();
  await expect(body).rejects.toBeInstanceOf(CallerLeft);
}

it('writes small bodies that stall into the memory of those before them, and gives that to the system after a while', async () => {
  const memory = new FairMemory(16 * mebibyte);
  /** What stands in memory that is lent. */
  const found: string[] = [];
  const lend = memory.buffers.lend.bind(memory.buffers);
  jest.spyOn(memory.buffers, 'lend').mockImplementation((bytes) => {
    const buffer = lend(bytes);
    found.push(buffer.toString('latin1', 0, 3));
    return buffer;
  });
  const held: number[] = [];
  for (let round = 0; round < 20; round++) {
    await Promise.all([mebibyte, mebibyte - 1_000].map((bytes) => stall(bytes, memory)));
    held.push(memory.buffers.allocatedBytes);
  }
  // Two blocks each, of two at once.
  expect(found).toHaveLength(80);
  expect(found.slice(4)).toEqual(found.slice(4).map(() => 'xxx'));
  expect(held).toEqual(held.map(() => mebibyte / 2));
  expect(memory.usedBytes).toBe(0);
  jest.advanceTimersByTime(20_001);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(memory.buffers.allocatedBytes).toBe(0);
});

it('leaves what stalls beside others to its sender, but for what an account has under way', async () => {
  const memory = new FairMemory(512 * mebibyte);
  const pace = new AccountPace({ bytesPerS: Infinity, burstBytes: Infinity, peakBytesPerS: Infinity }, new Company());
  const turns = new BodyTurns(pace);
  pace.count('other', 1);
  const streams = Array.from({ length: 100 }, () => new PassThrough());
  const bodies = streams.map((stream) => {
    const request = Object.assign(stream, { headers: { 'content-length': '1040000' } }) as unknown as IncomingMessage;
    return readBody(request, { limit: mebibyte, memory, owner }, turns).catch((error: unknown) => error);
  });
  for (let piece = 0; piece < 15; piece++) for (const stream of streams) stream.write(Buffer.alloc(65_536));
  for (let turn = 0; turn < 2_000; turn++) await nextTurn();
  const unread = streams.filter((stream) => stream.readableLength + stream.writableLength > 800_000).length;
  expect(unread).toBe(68);
  expect(memory.usedBytes).toBeLessThan(48 * mebibyte);
  for (const stream of streams) stream.destroy();
  for (const ending of await Promise.all(bodies)) expect(ending).toBeInstanceOf(CallerLeft);
  expect(memory.usedBytes).toBe(0);
});

it('hears of a few in a turn of the event loop that left, however many do at once', async () => {
  const memory = new FairMemory(512 * mebibyte);
  let heard = 0;
  const streams = Array.from({ length: 100 }, () => new PassThrough());
  const bodies = streams.map((stream) => {
    const request = Object.assign(stream, { headers: { 'content-length': '1040000' } }) as unknown as IncomingMessage;
    return readBody(request, { limit: mebibyte, memory, owner }).catch(() => heard++);
  });
  for (const stream of streams) stream.write(Buffer.alloc(65_536));
  await nextTurn();
  for (const stream of streams) stream.destroy();
  const inTurns: number[] = [];
  for (let before = 0; heard < streams.length; before = heard) {
    await nextTurn();
    inTurns.push(heard - before);
  }
  expect(Math.max(...inTurns)).toBeLessThanOrEqual(16);
  await Promise.all(bodies);
});

it('takes no turn of those that leave for a request that came whole', async () => {
  const memory = new FairMemory(64 * mebibyte);
  const turn = jest.spyOn(leavingTurns, 'soon');
  const request = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage & PassThrough;
  const closed = once(request, 'close');
  const body = readBody(request, { limit: mebibyte, memory, owner });
  request.end('whole');
  (await body).release();
  await closed;
  expect(turn).not.toHaveBeenCalled();
  turn.mockRestore();
});
