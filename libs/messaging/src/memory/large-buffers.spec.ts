import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LargeBuffers, SharedBuffers, hasOwnMemory } from './large-buffers';

const mebibyte = 1_048_576;

/** A body of so many bytes that comes and goes. */
function pass(buffers: LargeBuffers, bytes: number): Buffer {
  const buffer = buffers.take(bytes);
  buffers.giveBack(bytes, buffer.buffer);
  return buffer;
}

describe('memory of large bodies', () => {
  it('is used again, however many come and go, and never more than there is', async () => {
    const buffers = new LargeBuffers(128 * mebibyte);
    let most = 0;
    for (let round = 0; round < 100; round++) {
      // As many as are held at once, of another size in each round.
      const sizes = [0, 1, 2, 3].map((number) => (24 + ((round + number) % 8)) * mebibyte - number);
      const held = sizes.map((bytes) => buffers.take(bytes));
      // As many as it takes to write to them.
      for (let turn = 0; turn < 64; turn++) await nextTurn();
      most = Math.max(most, buffers.allocatedBytes);
      for (const buffer of held) buffers.giveBack(buffer.length, buffer.buffer);
    }
    expect(most).toBeLessThanOrEqual(128 * mebibyte);
    expect(buffers.allocatedBytes).toBeLessThanOrEqual(128 * mebibyte);
  });

  it('is the same memory for the next of about that size, which nobody sees who had it before', () => {
    const buffers = new LargeBuffers(64 * mebibyte);
    const before = buffers.take(29 * mebibyte);
    before.fill('a');
    buffers.giveBack(before.length, before.buffer);
    expect(before).toHaveLength(0);
    const next = buffers.take(29 * mebibyte + 100);
    expect([next.length, next[0], buffers.allocatedBytes]).toEqual([29 * mebibyte + 100, 97, 30 * mebibyte]);
  });

  it('is given up where it lies elsewhere, or others still look at it', () => {
    const buffers = new LargeBuffers(64 * mebibyte);
    const [kept, changed] = [buffers.take(2 * mebibyte), buffers.take(2 * mebibyte)];
    buffers.giveBack(kept.length, null);
    buffers.giveBack(changed.length, new ArrayBuffer(10));
    expect([kept.length, buffers.allocatedBytes]).toEqual([2 * mebibyte, 0]);
  });

  it('goes back to the system when nobody asked for a while', () => {
    jest.useFakeTimers();
    const buffers = new LargeBuffers(64 * mebibyte);
    pass(buffers, 3 * mebibyte);
    jest.advanceTimersByTime(15_000);
    pass(buffers, 3 * mebibyte);
    jest.advanceTimersByTime(15_000);
    expect(buffers.allocatedBytes).toBe(3 * mebibyte);
    jest.advanceTimersByTime(5_001);
    expect(buffers.allocatedBytes).toBe(0);
    jest.useRealTimers();
  });

  it('is seen by nobody at once when it is freed, and goes back by a few mebibytes in a turn, however many leave', async () => {
    const buffers = new LargeBuffers(64 * mebibyte);
    const bodies = Array.from({ length: 20 }, () => Buffer.allocUnsafeSlow(mebibyte));
    for (const { buffer } of bodies) buffers.free(buffer);
    expect(bodies.map(({ length }) => length)).toEqual(bodies.map(() => 0));
    const left: number[] = [];
    do {
      left.push(buffers.allocatedBytes / mebibyte);
      await nextTurn();
    } while (buffers.allocatedBytes > 0);
    expect(left).toEqual([20, 18, 16, 14, 12, 10, 8, 6, 4, 2]);
  });

  it('counts until it has gone, and goes in turns for who needs the room', async () => {
    const buffers = new LargeBuffers(32 * mebibyte);
    const others = [0, 1].map(() => buffers.take(10 * mebibyte));
    for (const other of others) buffers.giveBack(other.length, other.buffer);
    for (let count = 0; count < 4; count++) buffers.free(new ArrayBuffer(mebibyte));
    expect(buffers.allocatedBytes).toBe(24 * mebibyte);
    buffers.take(24 * mebibyte);
    const had: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      had.push(buffers.allocatedBytes / mebibyte);
      await nextTurn();
    }
    expect(had).toEqual([48, 46, 44, 34, 24]);
  });

  it('is never more than twice as much as there is, however fast bodies come and go', () => {
    const buffers = new LargeBuffers(32 * mebibyte);
    let most = 0;
    for (let count = 0; count < 100; count++) {
      // Of another size than the one before it, so that it is never used again.
      const held = buffers.take((10 + 6 * (count % 2)) * mebibyte);
      const others = buffers.take((3 + (count % 3)) * mebibyte);
      most = Math.max(most, buffers.allocatedBytes);
      for (const buffer of [held, others]) buffers.giveBack(buffer.length, buffer.buffer);
    }
    expect(most).toBeLessThanOrEqual(64 * mebibyte);
  });

  it('is lent to what is small, uncounted, and again where it was kept, as far as there is room', () => {
    const buffers = new LargeBuffers(2 * mebibyte);
    const small = Array.from({ length: 3 }, () => buffers.lend(mebibyte - 5));
    expect([buffers.allocatedBytes, ...small.map(hasOwnMemory)]).toEqual([0, true, true, true]);
    for (const [at, body] of small.entries()) buffers.keep(body.fill(at + 1).buffer);
    expect(small.map(({ length }) => length)).toEqual([0, 0, 0]);
    expect([0, 1].map(() => buffers.lend(mebibyte - 9_000)[0])).toEqual([2, 1]);
    expect(buffers.allocatedBytes).toBe(mebibyte);
  });

  it('is known for its own, which may go to a thread', () => {
    const buffer = new LargeBuffers(64 * mebibyte).take(2 * mebibyte + 5);
    expect([buffer, buffer.subarray(1), Buffer.alloc(10).subarray(2), new Uint8Array(7)].map(hasOwnMemory)).toEqual([
      ...[true, false, false, true],
    ]);
  });
});

describe('memory that threads share', () => {
  const isShared = ({ buffer }: Buffer) => buffer instanceof SharedArrayBuffer;
  const taken = (shared: SharedBuffers) => shared.take(2 * mebibyte);

  it('is taken for what is large, and no more of it than V8 may leave uncollected', () => {
    const shared = new SharedBuffers(5 * mebibyte);
    expect(isShared(shared.take(1_000))).toBe(false);
    expect([1, 2, 3].map(() => isShared(taken(shared)))).toEqual([true, true, false]);
  });

  it('is there again once what was over is collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const shared = new SharedBuffers(5 * mebibyte);
    while (isShared(taken(shared)));
    do {
      collect();
      await nextTurn();
    } while (!isShared(taken(shared)));
  });
});
