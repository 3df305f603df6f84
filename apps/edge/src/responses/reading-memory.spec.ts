import type { Settings } from '../settings';
import { AccountPace } from '../pace/account-pace';
import { Company } from '../pace/company';
import { ReadingMemory } from './reading-memory';

const mebibyte = 1_048_576;
const settings = { bodyMemory: 1_024 * mebibyte } as Settings;
const one = { keyId: 'key', accountId: 'one' };
const another = { keyId: 'another key', accountId: 'one' };
const other = { keyId: 'key of another', accountId: 'other' };

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

/** What is read of so many bytes for each, and when it was, seconds. */
async function readInTime(reads: readonly (readonly [typeof one, number])[]): Promise<(number | string)[]> {
  const bounds = { bytesPerS: 8 * mebibyte, burstBytes: 32 * mebibyte };
  const memory = new ReadingMemory(settings, new AccountPace(bounds, new Company()));
  const begunAt = performance.now();
  const times = reads.map(([owner, bytes]) =>
    memory
      .reading(owner, (onSize) => onSize(bytes))
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
});
