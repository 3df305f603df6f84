import fc from 'fast-check';
import { FakeClock } from '../testing/fake-clock';
import { MemoryRateLimitStore } from './memory-rate-limit-store';
import { retryAfterS } from './rate-limit-headers';
import { windowMs } from './rolling-log';

/** The rule itself, by brute force: how many of the admitted times lie in the 60 seconds up to now. */
function inWindow(admitted: number[], nowMs: number): number {
  return admitted.filter((time) => time > nowMs - windowMs).length;
}

const steps = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 70_000 })),
    limit: fc.integer({ min: 0, max: 6 }),
    giveBack: fc.boolean(),
  }),
  { maxLength: 200 },
);

describe('the rolling limit', () => {
  it('admits exactly while fewer than the limit were admitted in the last 60 seconds, whatever the timing and however the limit changes', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const clock = new FakeClock();
        const store = new MemoryRateLimitStore(clock);
        let admitted: number[] = [];
        for (const { waitMs, limit, giveBack } of sequence) {
          clock.advance(waitMs);
          const nowMs = clock.monotonicMs();
          const expected = inWindow(admitted, nowMs) < limit;
          const state = store.take('key', limit);
          expect(state.admitted).toBe(expected);
          if (state.admitted) admitted.push(nowMs);
          expect(state.remaining).toBe(Math.max(0, limit - inWindow(admitted, nowMs)));
          if (state.unit !== null && giveBack) {
            store.giveBack('key', state.unit);
            admitted = admitted.slice(0, -1);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('tells a Retry-After after which the request is admitted, and never one more than a second too long', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 60 }), (waits) => {
        const clock = new FakeClock();
        const store = new MemoryRateLimitStore(clock);
        for (const waitMs of waits) {
          clock.advance(waitMs + 0.37);
          const state = store.take('key', 3);
          if (state.admitted) continue;
          const seconds = retryAfterS(state);
          expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
          if (seconds > 1) {
            clock.advance((seconds - 1) * 1_000);
            expect(store.take('key', 3).admitted).toBe(false);
            clock.advance(1_000);
          } else clock.advance(1_000);
          expect(store.take('key', 3).admitted).toBe(true);
        }
      }),
    );
  });

  it('never lets one key use the units of another', () => {
    const store = new MemoryRateLimitStore(new FakeClock());
    expect(store.take('a', 1).admitted).toBe(true);
    expect(store.take('a', 1).admitted).toBe(false);
    expect(store.take('b', 1).admitted).toBe(true);
  });

  it('does not count for an unlimited key, and admits nothing at a limit of 0', () => {
    const store = new MemoryRateLimitStore(new FakeClock());
    for (let i = 0; i < 1_000; i++) expect(store.take('free', null)).toMatchObject({ admitted: true, limit: null });
    expect(store.size).toBe(0);
    const none = store.take('none', 0);
    expect(none.admitted).toBe(false);
    expect(retryAfterS(none)).toBe(60);
  });

  it('frees a raised limit at once, and holds a lowered one until enough have passed', () => {
    const clock = new FakeClock();
    const store = new MemoryRateLimitStore(clock);
    for (let i = 0; i < 10; i++) {
      store.take('key', 10);
      clock.advance(1_000);
    }
    expect(store.take('key', 11).admitted).toBe(true);
    const lowered = store.take('key', 3);
    expect(lowered.admitted).toBe(false);
    // The ninth of eleven must leave the window: it came 2 s ago, at second 8.
    expect(lowered.retryAfterMs).toBe(58_000);
  });

  it('forgets keys that were idle for a window', () => {
    const clock = new FakeClock();
    const store = new MemoryRateLimitStore(clock);
    store.take('idle', 5);
    clock.advance(30_000);
    store.take('busy', 5);
    clock.advance(30_000);
    store.forgetIdle();
    expect(store.size).toBe(1);
    expect(store.take('busy', 5).remaining).toBe(3);
  });
});
