import { FirstAnswerTimes } from './deployment-watch';

describe('the shortest time to an answer', () => {
  it('is nothing while none is known', () => {
    expect(new FirstAnswerTimes().shortestMs(0)).toBe(0);
  });

  it('is that of the last one to two minutes', () => {
    const times = new FirstAnswerTimes();
    times.record(300, 1_000);
    times.record(700, 2_000);
    expect(times.shortestMs(59_999)).toBe(300);
    times.record(500, 61_000);
    expect(times.shortestMs(119_999)).toBe(300);
    expect(times.shortestMs(120_000)).toBe(500);
    expect(times.shortestMs(180_000)).toBe(0);
  });

  it('does not reach over a pause', () => {
    const times = new FirstAnswerTimes();
    times.record(300, 1_000);
    expect(times.shortestMs(130_000)).toBe(0);
  });
});
