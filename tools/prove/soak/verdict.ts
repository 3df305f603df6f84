import { median } from '../../bench/percentiles';
import type { Look, Measure } from './look';
import { slopeOf } from './slope';
import type { Slope } from './slope';

/**
 * What became of one measure of one process in the judged time. `grows`: more than is allowed, whatever the
 * noise; `flat`: no more than is allowed, whatever the noise; `open`: the noise is too large to say.
 */
export interface Course {
  process: string;
  measure: Measure;
  /** The median of the judged time. */
  level: number;
  slope: Slope;
  /** How much more an hour is still flat. */
  allowed: number;
  verdict: 'flat' | 'grows' | 'open';
}

/** The first third is a start: code is compiled, keys are seen first, tables grow to their size. */
const judgedShare = 2 / 3;
const allowedShare = 0.01;
/** A hundredth of a small number is no whole one: so many more an hour are flat. */
const allowedCount = 1;
/** What the promise is about. */
export const mustBeFlat: readonly Measure[] = ['heap'];
/** These tell where a leak is. By themselves they are none: caches of a bounded size fill for days. */
const toldAlone: readonly Measure[] = ['maps', 'rows'];

const countable: readonly Measure[] = ['files', 'subscriptions', 'timers', 'maps', 'rows'];

/** The courses of all measures in the last two thirds of the looks. */
export function coursesOf(looks: readonly Look[]): Course[] {
  const judged = looks.slice(Math.floor(looks.length * (1 - judgedShare)));
  const names = new Set(judged.flatMap(({ processes }) => [...processes.keys()]));
  return [...names].flatMap((process) => {
    const measures = new Set(judged.flatMap(({ processes }) => [...(processes.get(process)?.keys() ?? [])]));
    return [...measures].map((measure) => courseOf(process, measure, judged));
  });
}

function courseOf(process: string, measure: Measure, looks: readonly Look[]): Course {
  const points = looks.flatMap(({ at, processes }) => {
    const value = processes.get(process)?.get(measure);
    return value === undefined ? [] : [{ hours: at / 3_600_000, value }];
  });
  const level = median(points.map(({ value }) => value));
  const slope = slopeOf(points);
  const allowed = Math.max(level * allowedShare, countable.includes(measure) ? allowedCount : 0);
  return { process, measure, level, slope, allowed, verdict: verdictOf(slope, allowed) };
}

function verdictOf({ low, high }: Slope, allowed: number): Course['verdict'] {
  if (low > allowed) return 'grows';
  return high <= allowed ? 'flat' : 'open';
}

/**
 * Whether nothing grows but what is told alone, and every heap is known to be flat. Without looks nothing is
 * known.
 */
export function isFlat(courses: readonly Course[]): boolean {
  const heaps = courses.filter(({ measure }) => mustBeFlat.includes(measure));
  return (
    heaps.length > 0 &&
    courses.every(({ verdict, measure }) => verdict !== 'grows' || toldAlone.includes(measure)) &&
    heaps.every(({ verdict }) => verdict === 'flat')
  );
}
