import { seededRandom } from '../ledger/chaos';
import type { Look, Measure } from './look';
import { slopeOf, coursesOf, growing, isFlat, undecided } from './verdict';

const actsPerHour = 144_000;

/** Looks at one process, one each half minute of an hour; `values` by the hours that have passed. */
function looksOf(values: Partial<Record<Measure, (hours: number) => number>>, process = 'edge'): Look[] {
  return Array.from({ length: 120 }, (_, number) => {
    const hours = number / 120;
    const measures = Object.entries(values).map(([measure, of]) => [measure as Measure, of(hours)] as const);
    const acts = Math.round(hours * actsPerHour);
    return { at: hours * 3_600_000, acts, processes: new Map([[process, new Map(measures)]]) };
  });
}

/** A level of a hundred with so much noise, evenly to both sides, and so much growth an hour. */
function noisy(noise: number, perHour = 0, seed = 1): (hours: number) => number {
  const random = seededRandom(seed);
  return (hours) => 100 + perHour * hours + noise * (2 * random() - 1);
}

const verdictsOf = (looks: readonly Look[]) => coursesOf(looks).map(({ verdict }) => verdict);

it('tells a slope, and an interval that has it', () => {
  const slope = slopeOf(
    looksOf({ heap: noisy(1, 20) }).map(({ at, processes }) => {
      return { hours: at / 3_600_000, value: processes.get('edge')?.get('heap') ?? 0 };
    }),
  );
  expect(slope.low).toBeLessThan(20);
  expect(slope.high).toBeGreaterThan(20);
  expect(slope.high - slope.low).toBeLessThan(5);
});

it('knows nothing of four points, nor of one time', () => {
  const points = (hours: (index: number) => number) =>
    Array.from({ length: 4 }, (_, index) => ({ hours: hours(index), value: index }));
  expect(slopeOf(points((index) => index))).toMatchObject({ low: -Infinity, high: Infinity });
  expect(slopeOf([...points(() => 1), ...points(() => 1)])).toMatchObject({ low: -Infinity, high: Infinity });
});

it('takes no noise for a leak', () => {
  for (let seed = 1; seed <= 50; seed++)
    expect(verdictsOf(looksOf({ heap: noisy(5, 0, seed) }))).not.toEqual(['grows']);
});

it('knows a leak by what each act leaves behind, from a cache that fills', () => {
  const rowsOf = (perAct: number) => looksOf({ rows: (hours) => 20_000 + perAct * hours * actsPerHour });
  expect(verdictsOf(rowsOf(1))).toEqual(['leaks']);
  expect(verdictsOf(rowsOf(0.02))).toEqual(['grows']);
});

it('takes no start of ten minutes for more than a start', () => {
  const looks = looksOf({ external: (hours) => 6e6 * (1 + hours) });
  expect(verdictsOf(looks)).toEqual(['grows']);
  expect(verdictsOf(looks.slice(0, 20))).toEqual(['open']);
});

it('finds a row with each act in six looks of ten minutes, beside a heap of which they tell nothing', () => {
  const random = seededRandom(1);
  const looks = looksOf({
    heap: () => 70e6 * (1 + 0.02 * random()),
    rows: (hours) => 20_000 + hours * actsPerHour + 500 * random(),
  });
  const courses = coursesOf(looks.filter((_, number) => number % 2 === 0).slice(0, 9));
  expect(growing(courses).map(({ measure }) => measure)).toEqual(['rows']);
  expect(undecided(courses).map(({ measure }) => measure)).toEqual(['heap']);
});

it('takes no leak for noise', () => {
  for (let seed = 1; seed <= 50; seed++) expect(verdictsOf(looksOf({ heap: noisy(1, 10, seed) }))).toEqual(['grows']);
});

it('leaves open what the noise hides, which is no proof', () => {
  const looks = looksOf({ heap: noisy(20) });
  expect(verdictsOf(looks)).toEqual(['open']);
  expect(isFlat(coursesOf(looks))).toBe(false);
});

it('takes what follows the pace for no leak of inference, which holds usage, and finds one beside it', () => {
  const acts = (hours: number): number => 10_000 * hours + 5_000 * hours * hours;
  const held = (hours: number): number => 1_000 * (acts(hours) - acts(Math.max(0, hours - 1 / 6)));
  const verdictsBeside = (leaked: number, process?: string) => {
    const heap = (hours: number): number => 70e6 + held(hours) + leaked * hours;
    const looks = looksOf({ heap, code: () => 20e6 }, process);
    return verdictsOf(looks.map((look) => ({ ...look, acts: Math.round(acts(look.at / 3_600_000)) })));
  };
  expect(verdictsBeside(0, 'inference')).toEqual(['open', 'flat']);
  expect(verdictsBeside(5e6, 'inference')).toEqual(['grows', 'flat']);
  expect(verdictsBeside(0, 'edge')).toEqual(['grows', 'flat']);
});

it('judges neither a start nor a single outlier', () => {
  const looks = looksOf({ heap: (hours) => (hours < 0.3 ? 50 + 150 * hours : 100 + (hours === 0.5 ? 80 : 0)) });
  expect(verdictsOf(looks)).toEqual(['flat']);
});

it('counts a handle that comes each tenth of an hour, and not one that comes and goes', () => {
  expect(verdictsOf(looksOf({ files: (hours) => 40 + Math.floor(hours * 10) }))).toEqual(['grows']);
  expect(verdictsOf(looksOf({ files: (hours) => 40 + (Math.floor(hours * 120) % 3) }))).not.toEqual(['grows']);
});

it('needs heaps, all flat, and nothing else that grows', () => {
  const flat = (): number => 100;
  const slowly = (hours: number): number => 100 + 10 * hours;
  expect(isFlat(coursesOf(looksOf({ heap: flat, memory: noisy(20) })))).toBe(true);
  expect(isFlat(coursesOf(looksOf({ heap: flat, memory: slowly })))).toBe(false);
  expect(isFlat(coursesOf(looksOf({ heap: flat, rows: slowly, code: slowly })))).toBe(true);
  expect(isFlat(coursesOf(looksOf({ memory: flat })))).toBe(false);
  expect(isFlat([])).toBe(false);
});
