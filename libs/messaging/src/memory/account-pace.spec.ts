import { AccountPace, Company } from './account-pace';

const bounds = { bytesPerS: 8_000, burstBytes: 16_000, peakBytesPerS: Infinity };
let nowMs = 1_000_000;
const aPace = (here = new Company()) => new AccountPace(bounds, here, () => nowMs);

it('has no pace for an account that is alone, nor is it held against it when others come', () => {
  const pace = aPace();
  const alone = Array.from({ length: 50 }, () => pace.waitMs('one', 16_000));
  expect(alone).toEqual(alone.map(() => 0));
  expect(pace.waitMs('other', 1)).toBe(0);
  expect(pace.waitMs('one', 8_000)).toBe(1_000);
});

it('lets an account beside others have so much at once, and then so much a second', () => {
  const pace = aPace();
  pace.waitMs('other', 1);
  expect([1, 2, 3, 4].map(() => pace.waitMs('one', 8_000))).toEqual([0, 0, 1_000, 2_000]);
  expect(pace.waitMs('other', 16_000 - 1)).toBe(0);
  nowMs += 4_000;
  pace.waitMs('other', 1);
  expect(pace.waitMs('one', 16_000)).toBe(0);
});

it('counts nothing that would wait too long', () => {
  const pace = aPace();
  pace.waitMs('other', 1);
  expect([24_000, 8_001, 8_000].map((bytes) => pace.waitMs('one', bytes, 2_000))).toEqual([1_000, null, 2_000]);
});

it('forgets who was here some seconds ago', () => {
  const here = new Company();
  const pace = aPace(here);
  pace.waitMs('other', 1);
  expect(pace.waitMs('one', 24_000)).toBe(1_000);
  nowMs += 4_001;
  expect([pace.waitMs('one', 24_000), here.isBeside('other', nowMs)]).toEqual([0, true]);
});

it('owes nothing by a clock that began anew, and knows nobody by it', () => {
  const pace = aPace();
  pace.waitMs('other', 1);
  pace.waitMs('one', 80_000);
  nowMs = 5;
  expect(pace.waitMs('one', 24_000)).toBe(0);
  pace.waitMs('other', 1);
  expect(pace.waitMs('one', 8_000)).toBe(1_000);
});

it('lets what is large catch up, however much there is that waits for nothing', () => {
  const pace = aPace();
  pace.waitMs('other', 1);
  for (let second = 0; second < 60; second++) {
    for (let count = 0; count < 100; count++) pace.count('one', 240);
    pace.count('other', 1);
    nowMs += 1_000;
  }
  pace.count('other', 1);
  // Sixty seconds of the pace's triple are 120 seconds of debt.
  expect(pace.waitMs('one', 16_000)).toBe(1_000);
  expect(pace.waitMs('one', 8_000)).toBe(2_000);
});

describe('what may be done at once', () => {
  const mebibyte = 1_048_576;
  const peaked = { bytesPerS: 8 * mebibyte, burstBytes: 32 * mebibyte, peakBytesPerS: 16 * mebibyte };
  const aPeakedPace = () => {
    const pace = new AccountPace(peaked, new Company(), () => nowMs);
    pace.waitMs('other', 1);
    return pace;
  };

  it('has a pace of its own, at which what was begun makes the next wait, and not itself', () => {
    const pace = aPeakedPace();
    const waits = [8, 8, 8].map((size) => pace.waitMs('one', size * mebibyte));
    expect(waits).toEqual([0, 500 - 1_000 / 64, 1_000 - 1_000 / 64]);
    nowMs += 1_500;
    pace.waitMs('other', 1);
    expect(pace.waitMs('one', 8 * mebibyte)).toBe(0);
    expect(pace.waitMs('other', 8 * mebibyte)).toBe(0);
  });

  it('is never more than that in any second, nor more than the pace in the end', () => {
    const pace = aPeakedPace();
    const begunMs = nowMs;
    const done: number[] = [];
    for (let piece = 0; piece < 1_000; piece++) {
      nowMs += pace.waitMs('one', mebibyte / 16) ?? 0;
      pace.waitMs('other', 1);
      done.push(nowMs - begunMs);
    }
    const within = (fromMs: number) => done.filter((at) => at >= fromMs && at < fromMs + 1_000).length / 16;
    for (const from of done) expect(within(from)).toBeLessThanOrEqual(16.5);
    // 62.5 MiB: 32 of the burst, and the rest at 8 MiB a second.
    const leastMs = ((62.5 - 32) / 8) * 1_000;
    expect(done.at(-1)).toBeGreaterThanOrEqual(leastMs);
    expect(done.at(-1)).toBeLessThan(leastMs + 100);
  });

  it('is no wait for small pieces, nor for an account that is alone', () => {
    const pace = aPeakedPace();
    expect(Array.from({ length: 200 }, () => pace.waitMs('one', 1_000))).toEqual(Array.from({ length: 200 }, () => 0));
    const alone = new AccountPace(peaked, new Company(), () => nowMs);
    expect([8, 8, 8].map((size) => alone.waitMs('one', size * mebibyte))).toEqual([0, 0, 0]);
  });

  it('is given back with what is not done', () => {
    const pace = aPeakedPace();
    pace.waitMs('one', 8 * mebibyte);
    pace.takeBack('one', 8 * mebibyte);
    expect(pace.waitMs('one', 8 * mebibyte)).toBe(0);
  });
});
