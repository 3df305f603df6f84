import { callerKey } from '../testing/fake-accounts';
import { ConcurrencyGate } from './admission';
import { MemoryRateLimitStore } from './memory-rate-limit-store';
import { Clock } from '../clock';

class Edges extends MemoryRateLimitStore {
  constructor(override readonly edges: number) {
    super(new Clock());
  }
}

it('lets so many in at once, and the next when one has left', () => {
  const gate = new ConcurrencyGate(new Edges(1));
  const [key, other] = [callerKey({ id: 'one', concurrency: 2 }), callerKey({ id: 'two', concurrency: 1 })];
  expect([gate.enter(key), gate.enter(key), gate.enter(key), gate.enter(other)]).toEqual([true, true, false, true]);
  gate.leave(key);
  expect([gate.enter(key), gate.enter(key)]).toEqual([true, false]);
});

it('gives each of several edges its share, and at least one', () => {
  const admitted = (edges: number, concurrency: number | null) => {
    const gate = new ConcurrencyGate(new Edges(edges));
    return Array.from({ length: 20 }, () => gate.enter(callerKey({ concurrency }))).filter((entered) => entered).length;
  };
  expect([admitted(3, 10), admitted(3, 2), admitted(3, 0), admitted(3, null)]).toEqual([3, 1, 0, 20]);
});
