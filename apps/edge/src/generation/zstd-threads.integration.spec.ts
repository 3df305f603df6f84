import { FairMemory } from '@tollgate/messaging';
import { createLogger } from '@tollgate/observability';
import { InnerRequest } from './inner-exchange';
import { CallerLeft } from './caller-left';
import { readBody } from './read-body';
import { plainBlock, repeatedBlock, twoFrames, zstdFrame, zstdText } from './zstd.fixture';
import { ZstdThreads } from './zstd-threads';

const mebibyte = 1_048_576;
const kibibytes128 = 131_072;
const limit = 8 * mebibyte;
const threads = new ZstdThreads(createLogger('test', 'silent'));
const memory = new FairMemory(64 * mebibyte);
const room = { limit, memory, owner: { keyId: 'key', accountId: 'account' } };
const broken = { status: 400, message: 'The request body cannot be decompressed.' };
const tooLarge = { status: 413 };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A body of these bytes, decompressed. @throws as it is refused; nothing of it is held then. */
async function decompressed(bytes: Uint8Array, message = new InnerRequest('/', {}, bytes)) {
  const body = await readBody(message, room);
  try {
    await threads.decompress(body, room);
    return body;
  } catch (error) {
    body.release();
    throw error;
  }
}

afterEach(async () => {
  await nextTurn();
  expect(memory.usedBytes).toBe(0);
});
afterAll(() => threads.onApplicationShutdown());

it.each([
  ['two frames', twoFrames, zstdText],
  ['a block as it is', zstdFrame([plainBlock('{}')]), '{}'],
  ['nothing', Buffer.alloc(0), ''],
])('decompresses a body of zstd: %s', async (_name, bytes, text) => {
  const body = await decompressed(bytes);
  expect(body.bytes.toString()).toBe(text);
  body.release();
});

it('decompresses a large one, whose memory is held until it is released', async () => {
  const blocks = new Array(limit / kibibytes128).fill(repeatedBlock(kibibytes128));
  const body = await decompressed(zstdFrame(blocks));
  expect(body.bytes.equals(Buffer.alloc(limit, 'a'))).toBe(true);
  expect(memory.usedBytes).toBeGreaterThanOrEqual(limit);
  body.release();
});

/** As far as its headers tell it holds up to 128 KiB, and holds two bytes. */
const braces = { type: 2, size: 4, bytes: Buffer.from([2 << 3, 0x7b, 0x7d, 0]) } as const;

it.each([
  ['a small one', [braces]],
  ['a small one that might be large', new Array(64).fill(braces)],
  ['a large one', [...new Array(9).fill(plainBlock('a'.repeat(kibibytes128))), ...new Array(32).fill(braces)]],
])('holds no more than came of it: %s', async (_name, blocks) => {
  const body = await decompressed(zstdFrame(blocks));
  const { length } = body.bytes;
  expect(memory.usedBytes).toBe(length);
  await body.more(1_000);
  expect(memory.usedBytes).toBe(length + 1_000);
  body.release();
});

/** 98,047 sequences that each repeat 65,539 bytes and take no room themselves. */
const sequences = Buffer.from('00ffffff5400003401', 'hex');
const endless = zstdFrame([plainBlock('aaaa'), { type: 2, size: sequences.length, bytes: sequences }]);

it.each([
  ['a checksum that is wrong', Buffer.concat([twoFrames.subarray(0, -1), Buffer.from([1])]), broken],
  ['a block that is no zstd', zstdFrame([{ type: 2, size: 9, bytes: Buffer.alloc(9, 0xff) }]), broken],
  ['25 bytes that would be 6 GB', endless, broken],
  ['a window of 128 MiB', zstdFrame([plainBlock('{}')], 27), broken],
  ['a text', Buffer.from('{}'), broken],
  ['blocks beyond the limit', zstdFrame(new Array(65).fill(repeatedBlock(kibibytes128))), tooLarge],
])('refuses %s', async (_name, bytes, refusal) => {
  await expect(decompressed(bytes)).rejects.toMatchObject(refusal);
});

it('waits for its memory, and no more once its caller has left', async () => {
  const { signal } = new AbortController();
  const other = await memory.admit({ ...room.owner, keyId: 'other' }, 60 * mebibyte, signal);
  const message = new InnerRequest('/', {}, zstdFrame(new Array(64).fill(repeatedBlock(kibibytes128))));
  const isWaiting = new Promise((resolve) => message.socket.once('newListener', resolve));
  const waiting = expect(decompressed(Buffer.alloc(0), message)).rejects.toBeInstanceOf(CallerLeft);
  await isWaiting;
  message.socket.emit('close');
  await waiting;
  other.release();
});

it.each([
  ['small', [plainBlock('{}')]],
  ['large', new Array(9).fill(plainBlock('a'.repeat(kibibytes128)))],
])('is a 503 where its thread ends over it, and holds nothing then: a %s one', async (_name, blocks) => {
  const ending = new ZstdThreads(createLogger('test', 'silent'));
  const body = await readBody(new InnerRequest('/', {}, zstdFrame(blocks)), room);
  const refused = expect(ending.decompress(body, room)).rejects.toMatchObject({ status: 503 });
  // Nothing else stands before it: its thread is started by then.
  await nextTurn();
  await ending.onApplicationShutdown();
  await refused;
  body.release();
});
