import { figureTable } from '../../bench/bench-report';
import type { Soak } from './prove-soak';
import { growing, mustBeFlat, paceOf, undecided } from './verdict';
import type { Course } from './verdict';

const inBytes = ['memory', 'heap', 'code', 'external'];

/** The proof as a text for people. */
export function soakReport({ looks, courses, requests, endings, natsKills, restarted, holds }: Soak): string {
  const pace = paceOf(looks);
  const paceEach = (perHour: number): string => signed((100 * perHour) / Math.max(pace.level, 1));
  const rows = courses.map((course) => [
    course.process,
    course.measure,
    amount(course, course.level),
    `${signed(percent(course, course.slope.perHour))} (${signed(percent(course, course.slope.low))} to ${signed(percent(course, course.slope.high))})`,
    course.verdict === 'grows' || course.verdict === 'leaks' ? course.verdict.toUpperCase() : course.verdict,
  ]);
  const ends = [...endings].map(
    ([act, counts]) => `  ${act}: ${[...counts].map(([ending, count]) => `${count} ${ending}`).join(', ')}`,
  );
  return [
    '',
    `${requests} acts, ${looks.length} looks, NATS killed ${natsKills} times.`,
    ...ends,
    '',
    figureTable([['process', 'measure', 'level', '% an hour (99 % confidence)', 'verdict'], ...rows]),
    '',
    'Judged are the last two thirds. open: the noise is too large to say whether it is below 1 % an hour.',
    `Acts in the ten minutes before a look: ${pace.level.toFixed(0)}, ${paceEach(pace.slope.perHour)} % an hour (${paceEach(pace.slope.low)} to ${paceEach(pace.slope.high)}); bytes of inference are judged beside the usage that it holds for as long.`,
    'leaks: it grows with each act, as a cache does only while it fills.',
    `Restarted: ${restarted.length === 0 ? 'none' : restarted.join(', ')}.`,
    holds ? `Proved: nothing grows, and every ${mustBeFlat.join(', ')} is flat.` : `NOT proved${whyNot(courses)}.`,
  ].join('\n');
}

/** A leak, which says more than all that is not known beside it; else what is not known. */
function whyNot(courses: readonly Course[]): string {
  const leaking = growing(courses);
  if (leaking.length > 0) return `: ${namesOf(leaking)} must not grow`;
  const open = undecided(courses);
  return open.length === 0 ? '' : `: nothing leaks, and of ${namesOf(open)} it is not known`;
}

function namesOf(courses: readonly Course[]): string {
  return courses.map(({ process, measure }) => `${measure} of ${process}`).join(', ');
}

function amount({ measure }: Course, value: number): string {
  return inBytes.includes(measure) ? `${(value / 1e6).toFixed(1)} MB` : value.toFixed(0);
}

function percent({ level }: Course, perHour: number): number {
  return (100 * perHour) / Math.max(level, 1);
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : ''}${value.toFixed(2)}`;
}
