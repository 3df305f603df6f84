import { TransitClock } from './transit-clock';

describe('the delay of messages between two clocks that differ', () => {
  const skewMs = -86_400_000;

  it('is unknown for the first message', () => {
    expect(new TransitClock().delayMs(1_000, 1_000 + skewMs)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is what a message took beyond the quickest', () => {
    const clock = new TransitClock();
    clock.delayMs(1_000, 1_002 + skewMs);
    expect(clock.delayMs(2_000, 2_001 + skewMs)).toBe(0);
    expect(clock.delayMs(3_000, 3_601 + skewMs)).toBe(600);
  });

  it('is too large for a while when a clock is set forward, and right again after two minutes', () => {
    const clock = new TransitClock();
    for (let at = 0; at < 60_000; at += 1_000) clock.delayMs(at, at);
    expect(clock.delayMs(60_000, 65_000)).toBe(5_000);
    for (let at = 61_000; at < 190_000; at += 1_000) clock.delayMs(at, at + 5_000);
    expect(clock.delayMs(190_000, 195_000)).toBe(0);
  });

  it('is still known after a long quiet time', () => {
    const clock = new TransitClock();
    clock.delayMs(0, 5);
    expect(clock.delayMs(3_600_000, 3_600_405)).toBe(400);
    expect(clock.delayMs(7_200_000, 7_200_005)).toBe(0);
  });
});
