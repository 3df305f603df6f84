import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StackError } from '../stack/stack-error';
import { workspaceRoot } from '../stack/workspace-root';
import { saturatedConnections } from './bench-plan';
import type { BenchTarget } from './bench-target';
import type { BenchProcess } from './child-process';
import { measure } from './measurement';
import { median } from './percentiles';
import { plainBody } from './request-bodies';
import { cpuProfile, sharesOf, steps } from './steps';

/** The processes whose time is looked into; all others count whole. */
const profiled = ['edge', 'inference'];
const rounds = 5;
const roundS = 2;
const warmUpS = 6;
const profileS = 5;
const profilePatienceMs = 30_000;

/** The environment of a stack whose services can be profiled, into this folder. */
export function profiledEnvironment(folder: string): Record<string, string> {
  const preload = pathToFileURL(join(workspaceRoot, 'tools/bench/profiled.mjs'));
  return { NODE_OPTIONS: `--import ${preload.href}`, NODE_PROFILES_FOLDER: folder };
}

/** What each step costs, in raw proxies, and the calls of the system for a request. */
export interface StepFigures {
  rawUs: number;
  /** Microseconds a request by step. */
  stepUs: Map<string, number>;
  /** Reads and writes a request by process. */
  calls: Map<string, { reads: number; writes: number }>;
}

/** What is measured: both ways to the provider. `folder`: where the services write their profiles. */
interface StepsRun {
  raw: BenchTarget;
  gateway: BenchTarget;
  generator: BenchProcess;
  pids: () => ReadonlyMap<string, number>;
  folder: string;
}

/**
 * CPU of plain requests at 32 connections, in turns with the raw proxy; then where it goes, from profiles of
 * as many more.
 */
export async function measureSteps(run: StepsRun): Promise<StepFigures> {
  const ask = (target: BenchTarget, durationS: number) => measure(run.generator, jobOf(target, durationS), run.pids);
  const perRequest = async (target: BenchTarget): Promise<Map<string, number>> => {
    const { load, costs } = await ask(target, roundS);
    return new Map(target.processes.map((name) => [name, (costs.get(name)?.cpuUs ?? 0) / load.requests]));
  };
  for (const target of [run.raw, run.gateway]) await ask(target, warmUpS);
  const raw: number[] = [];
  const seen: Map<string, number>[] = [];
  for (let round = 0; round < rounds; round++) {
    raw.push(...(await perRequest(run.raw)).values());
    seen.push(await perRequest(run.gateway));
  }
  const before = callsOf(run);
  await turnProfiles(run);
  const { load } = await ask(run.gateway, profileS);
  await turnProfiles(run);
  const calls = callsBetween(before, callsOf(run), load.requests);
  const stepUs = new Map<string, number>();
  for (const name of run.gateway.processes) {
    const us = median(seen.map((one) => one.get(name) ?? 0));
    for (const [step, share] of await sharesIn(run, name)) stepUs.set(step, (stepUs.get(step) ?? 0) + share * us);
  }
  return { rawUs: median(raw), stepUs, calls };
}

function jobOf({ url, headers, model }: BenchTarget, durationS: number) {
  const body = plainBody(model);
  return { kind: 'saturated', url, headers, body, durationS, connections: saturatedConnections } as const;
}

/** Begins the profiles, or ends them. */
async function turnProfiles({ pids }: StepsRun): Promise<void> {
  for (const name of profiled) process.kill(pidOf(pids(), name), 'SIGUSR2');
  await sleep(200);
}

/** How the time of a process is spread over steps. */
async function sharesIn({ folder, pids }: StepsRun, name: string): Promise<Map<string, number>> {
  if (!profiled.includes(name)) {
    const step = steps.find(({ places }) => name in places)?.name ?? 'other';
    return new Map([[step, 1]]);
  }
  const path = join(folder, `${pidOf(pids(), name)}.cpuprofile`);
  const giveUpAt = performance.now() + profilePatienceMs;
  while (!existsSync(path)) {
    if (performance.now() > giveUpAt) throw new StackError(`${name} wrote no profile.`);
    await sleep(100);
  }
  return sharesOf(name, cpuProfile.parse(JSON.parse(readFileSync(path, 'utf8'))));
}

function pidOf(pids: ReadonlyMap<string, number>, name: string): number {
  const pid = pids.get(name);
  if (pid === undefined) throw new StackError(`${name} does not run.`);
  return pid;
}

/**
 * Reads and writes of each process since its start
 * (https://man7.org/linux/man-pages/man5/proc_pid_io.5.html); of Linux only.
 */
function callsOf({ gateway, pids }: StepsRun): Map<string, { reads: number; writes: number }> {
  const calls = new Map<string, { reads: number; writes: number }>();
  for (const name of gateway.processes) {
    const path = `/proc/${pidOf(pids(), name)}/io`;
    if (!existsSync(path)) continue;
    const text = readFileSync(path, 'utf8');
    const field = (key: string) => Number(new RegExp(`^${key}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    calls.set(name, { reads: field('syscr'), writes: field('syscw') });
  }
  return calls;
}

function callsBetween(
  before: StepFigures['calls'],
  after: StepFigures['calls'],
  requests: number,
): StepFigures['calls'] {
  return new Map(
    [...after].map(([name, { reads, writes }]) => {
      const then = before.get(name) ?? { reads: 0, writes: 0 };
      return [name, { reads: (reads - then.reads) / requests, writes: (writes - then.writes) / requests }];
    }),
  );
}

/** The figures as Markdown, each step beside its budget. */
export function stepsReport({ rawUs, stepUs, calls }: StepFigures): string {
  const times = (us: number) => `${(us / rawUs).toFixed(2)}x`;
  const rows = steps.map(({ name, budget, places }) => {
    const us = stepUs.get(name) ?? 0;
    return [name, Object.keys(places).join(', '), us.toFixed(1), times(us), `${budget.toFixed(2)}x`];
  });
  const allUs = [...stepUs.values()].reduce((sum, us) => sum + us, 0);
  const budget = steps.reduce((sum, step) => sum + step.budget, 0);
  const table = [
    ['step', 'where', 'CPU µs/request', 'times the raw proxy', 'budget'],
    ['---', '---', '---:', '---:', '---:'],
    ...rows,
    ['all', '', allUs.toFixed(1), times(allUs), `${budget.toFixed(2)}x`],
  ];
  const told = [...calls].map(([name, { reads, writes }]) => `${name} ${reads.toFixed(2)} and ${writes.toFixed(2)}`);
  return [
    `Plain requests, ${saturatedConnections} connections; the raw proxy takes ${rawUs.toFixed(1)} µs.`,
    table.map((row) => `| ${row.join(' | ')} |`).join('\n'),
    `Reads and writes a request: ${told.join(', ')}.`,
  ].join('\n\n');
}

/** The steps that cost more than their budget. */
export function stepsOverBudget({ rawUs, stepUs }: StepFigures): string[] {
  return steps.flatMap(({ name, budget }) => ((stepUs.get(name) ?? 0) / rawUs > budget ? [name] : []));
}
