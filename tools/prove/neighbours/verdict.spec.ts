import { complaints } from './verdict';
import type { Observation } from './verdict';
import type { VictimRound } from './victim';

const bounds = { extraMs: 5, memoryBytes: 1_000 };
const calm: VictimRound = { requests: 100, failures: {}, rerouted: 0, p99Ms: 10, directP99Ms: 4 };
const seen = (changes: Partial<Observation> = {}): Observation => {
  return {
    attack: 'one',
    endings: {},
    quiet: [calm, calm, calm],
    beside: [calm, calm, calm],
    memoryBytes: 500,
    wellAfterMs: 0,
    ...changes,
  };
};

it('has nothing to say of a neighbour whom nobody noticed', () => {
  expect(complaints(seen(), bounds)).toEqual([]);
});

it('takes the median of the rounds, and what the machine lost for no fault of the gateway', () => {
  const slow = { ...calm, p99Ms: 90, directP99Ms: 80 };
  expect(complaints(seen({ beside: [calm, slow, calm] }), bounds)).toEqual([]);
  expect(complaints(seen({ beside: [slow, slow, calm] }), bounds)).toEqual([]);
  const late = { ...calm, p99Ms: 16 };
  expect(complaints(seen({ beside: [late, late, calm] }), bounds)).toEqual(['p99 6.0 ms above its own level']);
  expect(complaints(seen({ beside: [late, late, calm] }), { ...bounds, extraMs: null })).toEqual([]);
});

it.each<[string, Partial<Observation>, RegExp]>([
  ['a failure beside it', { beside: [{ ...calm, failures: { '503: busy': 2 } }] }, /2 of 100 failed beside it: 503/],
  ['a failure after it', { quiet: [{ ...calm, failures: { '503: busy': 1 } }] }, /1 of 100 failed after it/],
  ['another route', { beside: [{ ...calm, rerouted: 3 }] }, /3 of 100 came by another route/],
  ['memory', { memoryBytes: 1_048_576_000 }, /1000 MiB of memory/],
  ['a victim that stays unwell', { wellAfterMs: null }, /not well again/],
])('names %s', (_name, changes, told) => {
  expect(complaints(seen(changes), bounds)).toEqual([expect.stringMatching(told)]);
});
