import { median } from '../../bench/percentiles';
import type { Look, Measure } from './look';

/**
 * What became of one measure of one process in the judged time. `leaks`: it grows with each act, whatever the
 * noise, as a cache does only while it fills; `grows`: more than is allowed, whatever the noise; `flat`: no
 * more than is allowed, whatever the noise; `open`: the noise is too large, or the time too short, to say.
 */
export interface Course {
  process: string;
  measure: Measure;
  /** The median of the judged time. */
  level: number;
  slope: Slope;
  /** How much more an hour is still flat. */
  allowed: number;
  verdict: 'flat' | 'grows' | 'leaks' | 'open';
}

/** The first third is a start: code is compiled, keys are seen first, tables grow to their size. */
const judgedShare = 2 / 3;
const allowedShare = 0.01;
/** A hundredth of a small number is no whole one: so many more an hour are flat. */
const allowedCount = 1;
/** What the promise is about. */
export const mustBeFlat: readonly Measure[] = ['heap'];
/**
 * These tell where a leak is. By themselves they are none: caches of a bounded size fill for days, and V8
 * compiles for hours what is called ever more often.
 */
const toldAlone: readonly Measure[] = ['maps', 'rows', 'code'];

/**
 * Inference holds usage for so long after JetStream acknowledged it, in case that is lost, and 16 MiB of it
 * at most (`stored-lately.ts`): some bytes of each act, of which more are held while more is done.
 */
const heldMs = 10 * 60_000;
const heldBytes = 1_200;
const holdsUsage = /^inference\b/;
const countable: readonly Measure[] = ['files', 'subscriptions', 'timers', 'maps', 'rows'];
/**
 * What leaks with each act at least: one in ten leaves a whole thing behind. It is many times what 1 % an
 * hour is, so that minutes tell it. Of bytes they do not: a start holds more and more for a quarter of an
 * hour.
 */
const leakedEach = 0.1;
/** What is judged for less than this may be a start, in which much grows for a while. */
const startMs = 20 * 60_000;

/** The courses of all measures in the last two thirds of the looks. */
export function coursesOf(looks: readonly Look[]): Course[] {
  const judged = judgedOf(looks);
  const pace = paceOf(looks);
  const names = new Set(judged.flatMap(({ processes }) => [...processes.keys()]));
  return [...names].flatMap((process) => {
    const measures = new Set(judged.flatMap(({ processes }) => [...(processes.get(process)?.keys() ?? [])]));
    return [...measures].map((measure) => courseOf(process, measure, judged, pace));
  });
}

/** How many acts were done in the ten minutes before a look, in the judged time, and how much more an hour. */
export function paceOf(looks: readonly Look[]): { level: number; slope: Slope } {
  const points = judgedOf(looks).map(({ at, acts }) => ({
    hours: at / 3_600_000,
    value: acts - actsUntil(at - heldMs, looks),
  }));
  return { level: median(points.map(({ value }) => value)), slope: slopeOf(points) };
}

function judgedOf(looks: readonly Look[]): readonly Look[] {
  return looks.slice(Math.floor(looks.length * (1 - judgedShare)));
}

/** As many as there were at that time if they came evenly between two looks. */
function actsUntil(ms: number, looks: readonly Look[]): number {
  const next = looks.findIndex(({ at }) => at >= ms);
  const { at, acts } = looks[next] ?? { at: 0, acts: 0 };
  const before = looks[next - 1] ?? { at: 0, acts: 0 };
  return at <= 0 ? 0 : Math.max(0, acts - ((acts - before.acts) * (at - ms)) / (at - before.at));
}

function courseOf(process: string, measure: Measure, looks: readonly Look[], pace: { slope: Slope }): Course {
  const points = looks.flatMap(({ at, processes }) => {
    const value = processes.get(process)?.get(measure);
    return value === undefined ? [] : [{ hours: at / 3_600_000, value }];
  });
  const level = median(points.map(({ value }) => value));
  const slope = slopeOf(points);
  const isCount = countable.includes(measure);
  const allowed = Math.max(level * allowedShare, isCount ? allowedCount : 0);
  const { acts, ms } = spanOf(looks);
  const leaks = isCount && slope.low > Math.max(allowed, (leakedEach * acts * 3_600_000) / ms);
  const grew = isCount || !holdsUsage.test(process) ? slope : besideHeld(slope, pace.slope);
  const verdict = leaks ? 'leaks' : verdictOf(grew, allowed, ms >= startMs);
  return { process, measure, level, slope, allowed, verdict };
}

/** How far a slope of bytes may lie without what is held for ten minutes, which follows the pace. */
function besideHeld({ perHour, low, high }: Slope, pace: Slope): Slope {
  return { perHour, low: low - Math.max(0, pace.high * heldBytes), high: high - Math.min(0, pace.low * heldBytes) };
}

/** What was done between the first look and the last, and in which time. */
function spanOf(looks: readonly Look[]): { acts: number; ms: number } {
  const [first, last] = [looks[0], looks.at(-1)];
  return first && last ? { acts: last.acts - first.acts, ms: last.at - first.at } : { acts: 0, ms: 0 };
}

/** `isLong`: what grows is no start. */
function verdictOf({ low, high }: Slope, allowed: number, isLong: boolean): Course['verdict'] {
  if (low > allowed) return isLong ? 'grows' : 'open';
  return high <= allowed ? 'flat' : 'open';
}

/** What is wrong: all that leaks, and all that grows but what is told alone. */
export function growing(courses: readonly Course[]): Course[] {
  return courses.filter(
    ({ verdict, measure }) => verdict === 'leaks' || (verdict === 'grows' && !toldAlone.includes(measure)),
  );
}

/** What must be flat, and does not grow, and is not known to be flat. */
export function undecided(courses: readonly Course[]): Course[] {
  return courses.filter(({ verdict, measure }) => verdict === 'open' && mustBeFlat.includes(measure));
}

/** Whether nothing is wrong, and every heap is known to be flat. Without looks nothing is known. */
export function isFlat(courses: readonly Course[]): boolean {
  return (
    courses.some(({ measure }) => mustBeFlat.includes(measure)) &&
    growing(courses).length === 0 &&
    undecided(courses).length === 0
  );
}

/** A value at a time, hours. */
interface Point {
  hours: number;
  value: number;
}

/** How much more a value is an hour: the estimate, and where it lies with 99 % confidence. */
interface Slope {
  perHour: number;
  low: number;
  high: number;
}

/** What a normal distribution is beyond on either side in one of a hundred cases. */
const z99 = 2.576;
/**
 * Points are summed up to so many medians of their neighbours before: neighbouring looks are alike, and the
 * interval is one of points that know nothing of each other.
 */
const blocks = 20;

/**
 * The slope by Theil and Sen: the median of the slopes between all pairs of points, which a third of outliers
 * does not move. Its interval is Sen's, by the variance of Kendall's S without ties; fewer than five points,
 * or points of one time alone, tell nothing, so that it is infinite.
 * P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968,
 * https://doi.org/10.1080/01621459.1968.10480934
 */
export function slopeOf(points: readonly Point[]): Slope {
  const summed = inBlocks(points);
  const slopes = summed
    .flatMap((one, index) =>
      summed.slice(index + 1).map((other) => (other.value - one.value) / (other.hours - one.hours)),
    )
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const count = summed.length;
  const spread = z99 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const lowest = Math.floor((slopes.length - spread) / 2);
  const highest = Math.ceil((slopes.length + spread) / 2) - 1;
  if (count < 5 || lowest < 0) return { perHour: median(slopes), low: -Infinity, high: Infinity };
  return { perHour: median(slopes), low: slopes[lowest] ?? -Infinity, high: slopes[highest] ?? Infinity };
}

function inBlocks(points: readonly Point[]): Point[] {
  const size = Math.max(1, Math.floor(points.length / blocks));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, block) => {
    const own = points.slice(block * size, (block + 1) * size);
    return { hours: median(own.map(({ hours }) => hours)), value: median(own.map(({ value }) => value)) };
  });
}
