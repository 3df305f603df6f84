import type { Settings } from '../settings';
import { AccountPace, Company } from '@tollgate/messaging';
import { CallerLeft } from '../generation/caller-left';
import type { CallersWait } from '../generation/caller-left';
import { ReadingMemory } from './reading-memory';

const mebibyte = 1_048_576;
const settings = { bodyMemory: 1_024 * mebibyte } as Settings;
const one = { keyId: 'key', accountId: 'one' };
const another = { keyId: 'another key', accountId: 'one' };
const other = { keyId: 'key of another', accountId: 'other' };

const bounds = { bytesPerS: 8 * mebibyte, burstBytes: 32 * mebibyte, peakBytesPerS: Infinity };
const waits: CallersWait = (wait) => wait(new AbortController().signal);

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

/** What is read of so many bytes for each, and when it was, seconds. */
async function readInTime(reads: readonly (readonly [typeof one, number])[]): Promise<(number | string)[]> {
  const memory = new ReadingMemory(settings, new AccountPace(bounds, new Company()));
  const begunAt = performance.now();
  const times = reads.map(([owner, bytes]) =>
    memory
      .reading({ owner, waits }, (onSize) => onSize(bytes))
      .then(
        () => Math.round((performance.now() - begunAt) / 100) / 10,
        (error: Error) => error.message,
      ),
  );
  for (let second = 0; second < 40; second++) await jest.advanceTimersByTimeAsync(1_000);
  return Promise.all(times);
}

describe('all that is kept and is read for one account', () => {
  it('has one pace, beside another account, which waits for none of it', async () => {
    const reads = [
      [other, 1],
      ...[one, another, one, another].map((owner) => [owner, 16 * mebibyte] as const),
    ] as const;
    expect(await readInTime([...reads, [other, 8 * mebibyte], [one, 1_000]])).toEqual([0, 0, 0, 2, 4, 0, 0]);
  });

  it('is read at once where nobody else is there', async () => {
    expect(await readInTime([one, one, one, one, one, one].map((owner) => [owner, 32 * mebibyte]))).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  });

  it('is refused where it would wait too long', async () => {
    const reads = Array.from({ length: 12 }, () => [one, 32 * mebibyte] as const);
    const times = await readInTime([[other, 1], ...reads]);
    expect(times.slice(0, 9)).toEqual([0, 0, 4, 8, 12, 16, 20, 24, 28]);
    expect(new Set(times.slice(9))).toEqual(new Set(['Too much is read at once; try again shortly.']));
  });

  it('waits no longer for its turn, nor for memory, than its caller does, and owes nothing of what is not read', async () => {
    const memory = new ReadingMemory(settings, new AccountPace(bounds, new Company()));
    const left = new AbortController();
    const read = (wait: CallersWait, bytes: number) =>
      memory.reading({ owner: one, waits: wait }, (onSize) => onSize(bytes));
    await memory.reading({ owner: other, waits }, (onSize) => onSize(1));
    await read(waits, 32 * mebibyte);
    const inVain = expect(read((wait) => wait(left.signal), 16 * mebibyte)).rejects.toBeInstanceOf(CallerLeft);
    left.abort(new CallerLeft());
    await inVain;
    let isRead = false;
    const next = read(waits, 8 * mebibyte).then(() => (isRead = true));
    await jest.advanceTimersByTimeAsync(999);
    expect(isRead).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await next;
    await expect(read((wait) => wait(left.signal), 2 * mebibyte)).rejects.toBeInstanceOf(CallerLeft);
    expect([memory.memory.usedBytes, jest.getTimerCount()]).toEqual([0, 0]);
  });
});
