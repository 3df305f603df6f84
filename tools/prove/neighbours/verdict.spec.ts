import { percentiles } from '../../bench/percentiles';
import { attacks } from './attacks';
import { chosenKinds, neighboursOptions } from './run';
import { complaints } from './verdict';
import type { Bounds, MemoryCourse, Observation } from './verdict';
import type { VictimRound } from './victim';

const mebibyte = 1024 * 1024;
const bounds: Bounds = { times: 'quiet', extraMs: 5, gainBytes: 500 * mebibyte, keptBytes: 200 * mebibyte };
const calm: VictimRound = { requests: 100, failures: {}, rerouted: 0, p99Ms: 10, directP99Ms: 4 };
const steady = 100 * mebibyte;
const nameOf = (piece: string) => attacks.find(({ name }) => name.includes(piece))?.name ?? '';
const course = (changes: Partial<MemoryCourse>): MemoryCourse[] => {
  const flat = { firstBytes: steady, beforeBytes: steady, mostBytes: steady, afterBytes: steady };
  return [{ process: 'edge', ...flat, ...changes }];
};
const seen = (changes: Partial<Observation> = {}): Observation => {
  return {
    attack: 'one',
    endings: { '200': 7 },
    never: null,
    alone: [calm, calm, calm, calm],
    beside: [calm, calm, calm],
    gatewayShare: 0,
    cores: { gateway: 0, provider: 0, attacker: 0, victim: 0 },
    standstills: [],
    memory: course({}),
    restarted: [],
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
});

it.each([
  [0, []],
  [0.5, ['p99 38.0 ms above its own level']],
  [1, ['p99 76.0 ms above its own level']],
])('grants of what the machine lost only what was not the work of the gateway itself: %d', (gatewayShare, told) => {
  const starved = { ...calm, p99Ms: 86, directP99Ms: 80 };
  expect(complaints(seen({ beside: [starved, starved, starved], gatewayShare }), bounds)).toEqual(told);
});

it('judges times only while the machine does nothing else, unless it is told to', () => {
  const late = { ...calm, p99Ms: 16 };
  const restless = seen({ beside: [late, late, late], alone: [calm, calm, calm, { ...calm, directP99Ms: 10 }] });
  expect(complaints(restless, bounds)).toEqual([]);
  expect(complaints(restless, { ...bounds, times: 'always' })).toEqual(['p99 6.0 ms above its own level']);
  expect(complaints(seen({ beside: [late, late, late] }), { ...bounds, times: 'never' })).toEqual([]);
});

it('takes no attack for a fault that only took the cores of a busy machine, as requests past the gateway show', () => {
  const restless = [calm, { ...calm, directP99Ms: 30 }];
  const busy = { ...calm, p99Ms: 411, directP99Ms: 64 };
  expect(complaints(seen({ beside: [busy, busy, busy], alone: restless }), bounds)).toEqual([]);
  const stopped = { ...calm, p99Ms: 1_403, directP99Ms: 64 };
  expect(complaints(seen({ beside: [stopped, stopped, stopped], alone: restless }), bounds)).toEqual([
    'p99 1346.0 ms above its own level',
  ]);
});

it('excuses no attack by what the attack itself takes of the machine', () => {
  const burning = { ...calm, p99Ms: 3_010, directP99Ms: 1_004 };
  expect(complaints(seen({ beside: [burning] }), bounds)).toEqual(['p99 2000.0 ms above its own level']);
  expect(
    complaints(seen({ beside: [calm, burning, burning], alone: [calm, { ...calm, directP99Ms: 30 }] }), bounds),
  ).toEqual([expect.stringMatching(/^p99 2013.0 ms above/)]);
});

it('grants on a busy machine what a request lost past the gateway once more, as it waits in several processes', () => {
  const waiting = { ...calm, p99Ms: 2_100, directP99Ms: 1_004 };
  expect(complaints(seen({ beside: [waiting] }), bounds)).toEqual([]);
});

it('judges to the millisecond only what was seen three times', () => {
  const late = { ...calm, p99Ms: 16 };
  expect(complaints(seen({ beside: [late, late], alone: [calm, calm, calm] }), bounds)).toEqual([]);
});

it('has so many requests a round that the 99th percentile is not the slowest of them', () => {
  const { seconds, rate } = neighboursOptions;
  const times = Array.from({ length: Number(seconds.default) * Number(rate.default) }, (_, index) => index);
  expect(percentiles(times).p99).toBeLessThan(Math.max(...times));
});

it('judges memory by what an attack added, and by what stays of all of them', () => {
  const high = 900 * mebibyte;
  expect(complaints(seen({ memory: course({ beforeBytes: 600 * mebibyte, mostBytes: high }) }), bounds)).toEqual([]);
  expect(complaints(seen({ memory: course({ mostBytes: high }) }), bounds)).toEqual(['edge took 800 MiB more memory']);
  expect(complaints(seen({ memory: course({ afterBytes: high }) }), bounds)).toEqual(['edge kept 800 MiB of memory']);
});

it.each<[string, Partial<Observation>, RegExp]>([
  ['a failure beside it', { beside: [{ ...calm, failures: { '503: busy': 2 } }] }, /2 of 100 failed beside it: 503/],
  ['a failure after it', { alone: [{ ...calm, failures: { '503: busy': 1 } }] }, /1 of 100 failed alone/],
  ['another route', { beside: [{ ...calm, rerouted: 3 }] }, /3 of 100 came by another route/],
  ['a service that died of it', { restarted: ['inference'] }, /inference was started anew/],
  ['a victim that stays unwell', { wellAfterMs: null }, /not well again/],
  [
    'an attacker whose mistakes are told as faults',
    { never: /^5/, endings: { '404': 1, '503': 6 } },
    /^6 of the attacker's own requests ended with 503/,
  ],
  [
    'a loss that no busy machine explains',
    { beside: [{ ...calm, p99Ms: 400 }], alone: [calm, { ...calm, directP99Ms: 12 }] },
    /^p99 390.0 ms above/,
  ],
  ['an attack that never came through', { endings: { ECONNREFUSED: 9 } }, /the attack was none/],
  ['an attack that is not what it is called', { attack: '404: a thing', endings: { '400': 9 } }, /the attack was none/],
  [
    'a caller who never got anything to leave',
    { attack: 'left: behind words', endings: { '400': 9 } },
    /the attack was none/,
  ],
  [
    'a setup that was refused',
    { attack: nameOf('a kept picture'), endings: { '[{"expected":"string","code":"invalid_type"': 9 } },
    /the attack was none/,
  ],
  ['turns of which none began', { attack: nameOf('nobody reads'), endings: { '101': 3 } }, /the attack was none/],
  ['turns of which none ended', { attack: nameOf('turns of 29'), endings: { created: 4 } }, /the attack was none/],
  [
    'answers of which none came',
    { attack: nameOf('60 MiB'), endings: { 'broken off': 9, '503': 2 } },
    /the attack was none/,
  ],
])('names %s', (_name, changes, told) => {
  expect(complaints(seen(changes), bounds)).toEqual([expect.stringMatching(told)]);
});

it('takes either of the endings that an attack is called by', () => {
  for (const ending of ['completed', 'error'])
    expect(complaints(seen({ attack: nameOf('turns of 29'), endings: { [ending]: 1 } }), bounds)).toEqual([]);
});

it('is played whole in slices: each kind stands in one of them', () => {
  const names = attacks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(['1/3', '2/3', '3/3'].flatMap((slice) => chosenKinds('', slice))).toEqual(names);
  expect(chosenKinds('404,413', '1/1').length).toBeGreaterThan(3);
  expect(chosenKinds('404,,413,', '1/1')).toEqual(chosenKinds('404,413', '1/1'));
  expect(() => chosenKinds('', '3/2')).toThrow(/--slice/);
  expect(() => chosenKinds('no such kind', '1/1')).toThrow(/No kind/);
});
