import type { Caller } from './caller-window';
import { ConcurrencyLimit } from './concurrency-limit';

const callers: readonly Caller[] = ['a', 'b', 'c', 'd'].map((key) => ({ key, account: key }));
const [a, b] = callers as [Caller, Caller];

/**
 * A provider that serves `capacity` requests at once, each for 100 ms, and refuses more with 429 after 5 ms;
 * asked `offered` times a second by four callers. What has no room within the limit goes elsewhere and does
 * not come back.
 */
function load(limit: ConcurrencyLimit | null, capacity: number, perSecond: number, seconds: number) {
  const seen = { served: 0, refused: 0, elsewhere: 0 };
  const ends: { at: number; good: boolean; caller: Caller }[] = [];
  let busy = 0;
  let sent = 0;
  for (let now = 0; now < seconds * 1_000; now += 1) {
    for (let index = ends.length - 1; index >= 0; index -= 1) {
      const end = ends[index];
      if (!end || end.at > now) continue;
      ends.splice(index, 1);
      if (end.good) {
        busy -= 1;
        limit?.answered(end.caller, 100, now);
      } else limit?.refused(end.caller, now);
    }
    const arriving = Math.floor(((now + 1) * perSecond) / 1_000) - Math.floor((now * perSecond) / 1_000);
    for (let index = 0; index < arriving; index += 1) {
      if (limit && ends.length >= limit.current(now)) {
        seen.elsewhere += 1;
        continue;
      }
      const good = busy < capacity;
      if (good) busy += 1;
      seen[good ? 'served' : 'refused'] += 1;
      const caller = callers[sent++ % callers.length] ?? a;
      ends.push({ at: now + (good ? 100 : 5), good, caller });
    }
  }
  return seen;
}

describe('the concurrency limit of a provider', () => {
  it('limits nothing while nothing is refused, nor at the first refusals', () => {
    const limit = new ConcurrencyLimit(8);
    for (let count = 0; count < 100; count += 1) limit.answered(a, 100, 0);
    limit.refused(b, 0);
    limit.refused(b, 0);
    expect(limit.current(0)).toBe(Infinity);
  });

  it.each([
    ['who is alone', [a, a, a]],
    ['of whom there are two', [a, b, a]],
  ])('takes the third refusal of callers %s for one of load, not the first or the second', (_who, refused) => {
    const limit = new ConcurrencyLimit(8);
    const limits = refused.map((caller) => {
      limit.refused(caller, 0);
      return limit.current(0);
    });
    expect(limits).toEqual([Infinity, Infinity, 8]);
  });

  it('takes refusals of one caller for its own while another is served', () => {
    const limit = new ConcurrencyLimit(8);
    for (let count = 0; count < 29; count += 1) limit.answered(a, 100, 0);
    for (let count = 0; count < 1_000; count += 1) limit.refused(b, 100);
    expect(limit.current(100)).toBe(Infinity);
  });

  it('falls to what was served just now, and no further', () => {
    const limit = new ConcurrencyLimit(8);
    // 50 at once for ten seconds, each for a second.
    for (let now = 0; now < 10_000; now += 20) limit.answered(a, 1_000, now);
    for (let count = 0; count < 200; count += 1) limit.refused(a, 9_999);
    for (let count = 0; count < 200; count += 1) limit.refused(b, 9_999);
    expect(limit.current(9_999)).toBe(51);
  });

  it('falls to the answers that run, though none of them ended', () => {
    const limit = new ConcurrencyLimit(8);
    for (let count = 0; count < 90; count += 1) limit.answering();
    for (let count = 0; count < 3; count += 1) for (const one of [a, b]) limit.refused(one, 100);
    expect(limit.current(100)).toBe(90);
    for (let count = 0; count < 90; count += 1) limit.ended();
  });

  it('falls to its floor where nothing is served any more', () => {
    const limit = new ConcurrencyLimit(8);
    for (let now = 0; now < 60_000; now += 1_000) for (const one of [a, b]) limit.refused(one, now);
    expect(limit.current(60_000)).toBe(8);
  });

  it('binds a caller who is alone', () => {
    const limit = new ConcurrencyLimit(8);
    for (let count = 0; count < 3; count += 1) limit.refused(a, 0);
    expect(limit.current(0)).toBe(8);
  });

  it('grows again after a second, by one for every full round, and is forgotten after ten', () => {
    const limit = new ConcurrencyLimit(8);
    for (let count = 0; count < 3; count += 1) limit.refused(a, 0);
    for (let count = 0; count < 20; count += 1) limit.answered(a, 100, 999);
    expect(limit.current(999)).toBe(8);
    for (let count = 0; count < 9; count += 1) limit.answered(a, 100, 1_000);
    expect(limit.current(9_999)).toBe(9);
    expect(limit.current(10_000)).toBe(Infinity);
  });

  it('serves nearly all of a provider that it can, with a fraction of the refusals', () => {
    const without = load(null, 50, 1_000, 60);
    const limited = load(new ConcurrencyLimit(8), 50, 1_000, 60);
    expect(limited.served).toBeGreaterThan(without.served * 0.85);
    expect(limited.refused).toBeLessThan(without.refused * 0.03);
  });
});
