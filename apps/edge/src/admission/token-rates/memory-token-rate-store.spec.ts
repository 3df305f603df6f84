import fc from 'fast-check';
import { FakeClock } from '../../testing/fake-clock';
import { windowMs } from '../rolling-log';
import { MemoryTokenRateStore } from './memory-token-rate-store';
import type { TokensTaken } from './token-rate-store';

const steps = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 70_000 })),
    tokens: fc.integer({ min: 0, max: 60 }),
    /** Which of the requests before ends then, counted from the newest, and with how many tokens. */
    ends: fc.option(fc.record({ back: fc.nat(5), used: fc.option(fc.nat(60)) })),
  }),
  { maxLength: 120 },
);

/** What one request took, by the rule itself. */
interface Counted {
  readonly atMs: number;
  tokens: number;
  readonly taken: TokensTaken;
  isOver: boolean;
}

describe('the rolling limit of tokens', () => {
  it('admits exactly what there is room for in the last 60 seconds, whatever requests give back and when', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const clock = new FakeClock();
        const store = new MemoryTokenRateStore(clock);
        const all: Counted[] = [];
        const total = () =>
          all.filter(({ atMs }) => atMs > clock.monotonicMs() - windowMs).reduce((sum, { tokens }) => sum + tokens, 0);
        for (const { waitMs, tokens, ends } of sequence) {
          clock.advance(waitMs);
          const before = total();
          const taken = store.take('key', 100, tokens);
          expect(taken.admitted).toBe(before + tokens <= 100);
          if (taken.admitted) all.push({ atMs: clock.monotonicMs(), tokens, taken, isOver: false });
          const ended = ends && all.at(-1 - ends.back);
          if (ends && ended?.taken.admitted && !ended.isOver) {
            ended.isOver = true;
            ended.taken.settle(ends.used);
            ended.tokens = ends.used ?? ended.tokens;
          }
          expect(store.state('key', 100).remaining).toBe(Math.max(0, 100 - total()));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps nothing of a request that took nothing', () => {
    const store = new MemoryTokenRateStore(new FakeClock());
    for (let request = 0; request < 3; request++) {
      const taken = store.take('key', 100, 100);
      if (taken.admitted) taken.settle(0);
    }
    expect(store.state('key', 100)).toEqual({ limit: 100, remaining: 100, resetMs: 0 });
  });

  it('tells a wait after which the request is admitted, and not a moment before', () => {
    const clock = new FakeClock();
    const store = new MemoryTokenRateStore(clock);
    store.take('key', 100, 40);
    clock.advance(10_000);
    store.take('key', 100, 50);
    expect(store.take('key', 100, 20)).toEqual({ admitted: false, retryAfterMs: 50_000 });
    expect(store.take('key', 100, 60)).toEqual({ admitted: false, retryAfterMs: 60_000 });
    expect(store.take('key', 100, 101)).toEqual({ admitted: false, retryAfterMs: windowMs });
    clock.advance(49_999);
    expect(store.take('key', 100, 20).admitted).toBe(false);
    clock.advance(1);
    expect(store.take('key', 100, 20).admitted).toBe(true);
    expect(store.state('key', 100)).toEqual({ limit: 100, remaining: 30, resetMs: windowMs });
  });

  it('never lets one limit use the tokens of another, and forgets those that were idle for a window', () => {
    const clock = new FakeClock();
    const store = new MemoryTokenRateStore(clock);
    expect(store.take('a', 10, 10).admitted).toBe(true);
    expect(store.take('b', 10, 10).admitted).toBe(true);
    clock.advance(30_000);
    store.take('b', 20, 5);
    clock.advance(30_000);
    store.forgetIdle();
    expect(store.size).toBe(1);
    expect(store.state('b', 20).remaining).toBe(15);
  });
});
