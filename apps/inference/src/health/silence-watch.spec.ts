import { SilenceWatch } from './silence-watch';

let watch: SilenceWatch;
beforeEach(() => (watch = new SilenceWatch()));

function answer(count: number, tookMs: number, from = 0): void {
  for (let index = 0; index < count; index += 1) {
    const attempt = {};
    watch.began(attempt, from);
    watch.answered(attempt, from + tookMs);
  }
}

function wait(count: number, from: number): object[] {
  const attempts = Array.from({ length: count }, () => ({}));
  for (const attempt of attempts) watch.began(attempt, from);
  return attempts;
}

describe('the watch for silence', () => {
  it.each([
    [100, 5_000],
    [2_000, 20_000],
  ])('sees five streams that wait for ten times the usual %i ms, %i ms at least', (usualMs, patienceMs) => {
    answer(20, usualMs);
    wait(5, 10_000);
    expect(watch.isSilent(10_000 + patienceMs - 1)).toBe(false);
    expect(watch.isSilent(10_000 + patienceMs)).toBe(true);
  });

  it('takes a few that wait for hard ones', () => {
    answer(20, 100);
    wait(4, 0);
    wait(20, 60_000);
    expect(watch.isSilent(60_001)).toBe(false);
  });

  it('knows nothing before ten answers', () => {
    answer(9, 100);
    wait(50, 1_000);
    expect(watch.isSilent(100_000)).toBe(false);
  });

  it('is content with any answer', () => {
    answer(20, 100);
    wait(50, 1_000);
    answer(1, 100, 8_000);
    expect(watch.isSilent(9_000)).toBe(false);
    expect(watch.isSilent(13_100)).toBe(true);
  });

  it('draws no conclusion twice', () => {
    answer(20, 100);
    wait(50, 1_000);
    expect(watch.isSilent(10_000)).toBe(true);
    watch.forgetWaiting();
    wait(4, 10_000);
    expect(watch.isSilent(100_000)).toBe(false);
  });

  it('does not count those that ended', () => {
    answer(20, 100);
    for (const attempt of wait(50, 1_000)) watch.ended(attempt);
    expect(watch.isSilent(100_000)).toBe(false);
  });
});
