import { TransitClock } from './edge-peer';

describe('the delay of messages between two clocks that differ', () => {
  const skewMs = -86_400_000;

  /** A clock that has seen messages for ten seconds, each `delayMs` under way; their times are before 0. */
  function warmClock(delayMs: number): TransitClock {
    const clock = new TransitClock(5_000, 20);
    for (let at = -10_000; at < 0; at += 250) clock.delayMs(at, at + delayMs + skewMs);
    return clock;
  }

  it('is unknown for the first messages, which are all late where processes have just started', () => {
    const clock = new TransitClock(5_000, 20);
    for (let at = 0; at < 5_000; at += 100) expect(clock.delayMs(at, at + 300 + skewMs)).toBe(Number.POSITIVE_INFINITY);
    clock.delayMs(5_000, 5_001 + skewMs);
    expect(clock.delayMs(5_100, 5_401 + skewMs)).toBe(300);
  });

  it('is unknown until there were some messages, however long that takes', () => {
    const clock = new TransitClock(5_000, 20);
    for (let at = 0; at < 20_000; at += 1_000) expect(clock.delayMs(at, at + skewMs)).toBe(Number.POSITIVE_INFINITY);
    expect(clock.delayMs(20_000, 20_007 + skewMs)).toBe(7);
  });

  it('is what a message took beyond the quickest', () => {
    const clock = warmClock(2);
    expect(clock.delayMs(2_000, 2_001 + skewMs)).toBe(0);
    expect(clock.delayMs(3_000, 3_601 + skewMs)).toBe(600);
  });

  it('is too large for a while when a clock is set forward, and right again after two minutes', () => {
    const clock = new TransitClock(5_000, 20);
    for (let at = 0; at < 60_000; at += 1_000) clock.delayMs(at, at);
    expect(clock.delayMs(60_000, 65_000)).toBe(5_000);
    for (let at = 61_000; at < 190_000; at += 1_000) clock.delayMs(at, at + 5_000);
    expect(clock.delayMs(190_000, 195_000)).toBe(0);
  });

  it('is still known after a long quiet time', () => {
    const clock = warmClock(5);
    expect(clock.delayMs(3_600_000, 3_600_405 + skewMs)).toBe(400);
    expect(clock.delayMs(7_200_000, 7_200_005 + skewMs)).toBe(0);
  });
});
