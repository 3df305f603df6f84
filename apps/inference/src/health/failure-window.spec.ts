import { FailureWindow } from './failure-window';

describe('the window of attempts', () => {
  it.each([0, 5_000, 1_000_000])('counts the last ten seconds, by a clock that begins at %i', (start) => {
    const window = new FailureWindow();
    window.record(true, start);
    window.record(false, start + 1_000);
    expect(window.counts(start + 9_999)).toEqual({ attempts: 2, failures: 1 });
    expect(window.counts(start + 10_000)).toEqual({ attempts: 1, failures: 0 });
    expect(window.counts(start + 11_000)).toEqual({ attempts: 0, failures: 0 });
  });

  it.each([0, 5_000, 1_000_000])('forgets all when it is cleared, by a clock that begins at %i', (start) => {
    const window = new FailureWindow();
    for (let index = 0; index < 7; index += 1) window.record(true, start + index * 500);
    window.clear();
    expect(window.counts(start + 3_500)).toEqual({ attempts: 0, failures: 0 });
    window.record(true, start + 3_500);
    expect(window.counts(start + 3_500)).toEqual({ attempts: 1, failures: 1 });
  });
});
