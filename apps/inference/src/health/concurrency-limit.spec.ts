import { ConcurrencyLimit } from './concurrency-limit';

/**
 * A provider that serves `capacity` requests at once, each for 100 ms, and refuses more with 429 after 5 ms; asked `offered` times a second.
 * What has no room within the limit goes elsewhere and does not come back.
 */
function load(limit: ConcurrencyLimit | null, capacity: number, perSecond: number, seconds: number) {
  const seen = { served: 0, refused: 0, elsewhere: 0 };
  const ends: { at: number; good: boolean }[] = [];
  let busy = 0;
  for (let now = 0; now < seconds * 1_000; now += 1) {
    for (let index = ends.length - 1; index >= 0; index -= 1) {
      const end = ends[index];
      if (!end || end.at > now) continue;
      ends.splice(index, 1);
      if (end.good) {
        busy -= 1;
        limit?.answered(100);
      } else limit?.refused(now);
      limit?.leave();
    }
    const arriving = Math.floor(((now + 1) * perSecond) / 1_000) - Math.floor((now * perSecond) / 1_000);
    for (let index = 0; index < arriving; index += 1) {
      if (limit && !limit.enter(now)) {
        seen.elsewhere += 1;
        continue;
      }
      const good = busy < capacity;
      if (good) busy += 1;
      seen[good ? 'served' : 'refused'] += 1;
      ends.push({ at: now + (good ? 100 : 5), good });
    }
  }
  return seen;
}

describe('the concurrency limit of a provider', () => {
  it('limits nothing while nothing is refused', () => {
    const limit = new ConcurrencyLimit(8);
    let entered = 0;
    for (let index = 0; index < 100_000; index += 1) if (limit.enter(0)) entered += 1;
    expect(entered).toBe(100_000);
    expect(limit.current).toBe(Infinity);
  });

  it('halves what runs at a refusal, once in a round trip, its floor at least', () => {
    const limit = new ConcurrencyLimit(8);
    for (let index = 0; index < 100; index += 1) limit.enter(0);
    for (let index = 0; index < 50; index += 1) limit.refused(10);
    expect(limit.current).toBe(50);
    limit.refused(1_009);
    expect(limit.current).toBe(50);
    limit.refused(1_010);
    expect(limit.current).toBe(25);
    for (let now = 3_000; now < 60_000; now += 2_000) limit.refused(now);
    expect(limit.current).toBe(8);
  });

  it('grows by one for every full round of answers', () => {
    const limit = new ConcurrencyLimit(8);
    for (let index = 0; index < 20; index += 1) limit.enter(0);
    limit.refused(0);
    for (let index = 0; index < 10; index += 1) limit.answered(100);
    expect(limit.current).toBe(10);
    for (let index = 0; index < 2; index += 1) limit.answered(100);
    expect(limit.current).toBe(11);
  });

  it('is forgotten after a minute in which it kept nobody out', () => {
    const limit = new ConcurrencyLimit(8);
    limit.enter(0);
    limit.refused(0);
    limit.enter(60_000);
    expect(limit.current).toBe(8);
    limit.enter(60_001);
    expect(limit.current).toBe(Infinity);
  });

  it('serves nearly as much of a provider as it can, with a fraction of the refusals', () => {
    const without = load(null, 50, 1_000, 60);
    const limited = load(new ConcurrencyLimit(8), 50, 1_000, 60);
    expect(limited.served).toBeGreaterThan(without.served * 0.75);
    expect(limited.refused).toBeLessThan(without.refused * 0.01);
  });
});
