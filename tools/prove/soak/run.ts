import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '@tollgate/testing';
import { figureTable } from '../../bench/bench-report';
import { workspaceRoot } from '../../stack/workspace-root';
import { ledgerEnvironment, oneOfEachDialect } from '../ledger/prove-ledger';
import type { ProofValues, Say } from '../proof';
import { withStack } from '../with-stack';
import { Witness } from './look';
import type { Look } from './look';
import { proveSoak, type Soak } from './prove-soak';
import { type Course, growing, mustBeFlat, paceOf, undecided } from './verdict';

/**
 * `--plant edge` makes a service leak, which the proof must find; `--samples <file>` writes every look as a
 * line of JSON.
 */
export const soakOptions = {
  minutes: { type: 'string', default: '60' },
  keys: { type: 'string', default: '3000' },
  'per-second': { type: 'string', default: '40' },
  'every-s': { type: 'string', default: '26' },
  'nats-kills': { type: 'string', default: '8' },
  plant: { type: 'string' },
  samples: { type: 'string' },
  keep: { type: 'boolean', default: false },
} as const;

/** Holds when the memory of no process grows. */
export async function runSoak(values: ProofValues<typeof soakOptions>, onProgress: Say): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-soak-'));
  const natsMonitorPort = await freePort();
  const environment = {
    ...ledgerEnvironment,
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--import ${pathToFileURL(join(workspaceRoot, 'tools/prove/soak/witness.mjs')).href}`,
    NODE_SOAK_FOLDER: folder,
    ...(values.plant !== undefined && { NODE_SOAK_PLANT: values.plant }),
  };
  try {
    return await withStack({ onProgress, keep: values.keep, natsMonitorPort, environment }, async (stack) => {
      const witness = new Witness(stack, folder, natsMonitorPort);
      const soak = await proveSoak(stack, witness, await oneOfEachDialect(stack), {
        minutes: Number(values.minutes),
        keys: Number(values.keys),
        perSecond: Number(values['per-second']),
        everyMs: Number(values['every-s']) * 1_000,
        natsKills: Number(values['nats-kills']),
        onLook: (look) => {
          if (values.samples !== undefined) appendFileSync(values.samples, `${lineOf(look)}\n`);
        },
        onProgress,
      });
      onProgress(soakReport(soak));
      return soak.holds;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf({ at, acts, processes }: Look): string {
  const measures = [...processes].map(([name, values]) => [name, Object.fromEntries(values)]);
  return JSON.stringify({ at, acts, ...Object.fromEntries(measures) });
}

const inBytes = ['memory', 'heap', 'code', 'external'];

/** The proof as a text for people. */
function soakReport({ looks, courses, requests, endings, natsKills, restarted, holds }: Soak): string {
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
