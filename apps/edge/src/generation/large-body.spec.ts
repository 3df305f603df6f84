import { FairMemory } from '@tollgate/messaging';
import { LargeBody } from './large-body';
import { inCountedTurns } from '../testing/in-counted-turns';

const mebibyte = 1_048_576;
let memory: FairMemory;
beforeEach(() => {
  memory = new FairMemory(64 * mebibyte);
});
const held = () => memory.admit({ keyId: 'key', accountId: 'account' }, 8 * mebibyte, new AbortController().signal);

it('is put together in turns of the event loop, of a quarter of a mebibyte each', async () => {
  const pieces = Array.from({ length: 128 }, (_, at) => Buffer.alloc(32_768, at));
  const whole = Buffer.concat(pieces);
  const { result: body, turns } = await inCountedTurns(async () => LargeBody.of(pieces, memory, await held()));
  expect(turns).toBeGreaterThanOrEqual(15);
  expect(body.bytes.equals(whole)).toBe(true);
  expect(pieces).toEqual([]);
  expect(memory.usedBytes).toBe(4 * mebibyte);
  body.release();
});

it('gives its memory back once, to be used again', async () => {
  const body = await LargeBody.of([Buffer.alloc(2 * mebibyte, 'x')], memory, await held());
  body.release();
  body.release();
  expect([memory.usedBytes, memory.buffers.allocatedBytes, body.take()]).toEqual([0, 2 * mebibyte, null]);
});

it('leaves it to whoever took it', async () => {
  const body = await LargeBody.of([Buffer.alloc(2 * mebibyte, 'x')], memory, await held());
  const taken = body.take();
  body.release();
  expect([memory.usedBytes, taken?.bytes.length]).toEqual([2 * mebibyte, 2 * mebibyte]);
  taken?.held.release();
  expect(memory.usedBytes).toBe(0);
});

it('has no memory any more where a thread ended over it', async () => {
  const body = await LargeBody.of([Buffer.alloc(2 * mebibyte, 'x')], memory, await held());
  structuredClone(body.bytes.buffer, { transfer: [body.bytes.buffer as ArrayBuffer] });
  body.release();
  expect([memory.usedBytes, memory.buffers.allocatedBytes]).toEqual([0, 0]);
});
