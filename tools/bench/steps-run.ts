import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { StackError } from '../stack/stack-error';
import { figureTable } from './bench-report';
import { saturatedConnections } from './bench-plan';
import type { BenchTarget } from './bench-target';
import type { BenchProcess } from './child-process';
import { measure } from './measurement';
import { median } from './percentiles';
import { plainBody } from './request-bodies';
import { bytesOf, cpuProfile, heapProfile, sharesOf, steps } from './steps';
import { countsEach, messageCounts, systemCounts, type MessageCounts, type SystemCounts } from './system-counts';

/** The processes whose time is looked into; all others count whole. */
const profiled = ['edge', 'inference'];
const rounds = 5;
const roundS = 2;
const warmUpS = 6;
const profileS = 5;
const profilePatienceMs = 30_000;

/** What each step costs a request, in raw proxies; and by process what a request asks of the system. */
export interface StepFigures {
  rawUs: number;
  /** Microseconds a request by step. */
  stepUs: Map<string, number>;
  /** Bytes that edge and inference allocate for a request, by step. */
  stepBytes: Map<string, number>;
  counts: Map<string, SystemCounts>;
  messages: MessageCounts;
}

/** What is measured: both ways to the provider. `folder`: where the services write their profiles. */
interface StepsRun {
  raw: BenchTarget;
  gateway: BenchTarget;
  generator: BenchProcess;
  pids: () => ReadonlyMap<string, number>;
  folder: string;
  /** Where nats-server tells its counts. */
  natsMonitorPort: number;
}

/**
 * CPU of plain requests at 32 connections, in turns with the raw proxy; then what more of them ask of the
 * system; then where time and memory go, from profiles, which themselves wake a process every so often.
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
  const look = async () => ({ system: systemsOf(run), messages: await messageCounts(run.natsMonitorPort) });
  const before = await look();
  const { requests } = (await ask(run.gateway, roundS)).load;
  const after = await look();
  await turnProfiles(run);
  const { load } = await ask(run.gateway, profileS);
  await turnProfiles(run);
  const stepUs = new Map<string, number>();
  const stepBytes = new Map<string, number>();
  for (const name of run.gateway.processes) {
    const us = median(seen.map((one) => one.get(name) ?? 0));
    for (const [step, share] of await sharesIn(run, name)) addTo(stepUs, step, share * us);
    if (!profiled.includes(name)) continue;
    const heap = heapProfile.parse(JSON.parse(await profileIn(run, name, 'heapprofile')));
    for (const [step, bytes] of bytesOf(name, heap)) addTo(stepBytes, step, bytes / load.requests);
  }
  return {
    rawUs: median(raw),
    stepUs,
    stepBytes,
    counts: countsEach(before.system, after.system, requests),
    messages: {
      taken: (after.messages.taken - before.messages.taken) / requests,
      given: (after.messages.given - before.messages.given) / requests,
    },
  };
}

function addTo(sums: Map<string, number>, step: string, value: number): void {
  sums.set(step, (sums.get(step) ?? 0) + value);
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
async function sharesIn(run: StepsRun, name: string): Promise<Map<string, number>> {
  if (!profiled.includes(name)) {
    const step = steps.find(({ places }) => name in places)?.name ?? 'other';
    return new Map([[step, 1]]);
  }
  return sharesOf(name, cpuProfile.parse(JSON.parse(await profileIn(run, name, 'cpuprofile'))));
}

/** What a service wrote down, as soon as it has. */
async function profileIn({ folder, pids }: StepsRun, name: string, kind: string): Promise<string> {
  const path = join(folder, `${pidOf(pids(), name)}.${kind}`);
  const giveUpAt = performance.now() + profilePatienceMs;
  while (!existsSync(path)) {
    if (performance.now() > giveUpAt) throw new StackError(`${name} wrote no profile.`);
    await sleep(100);
  }
  return readFileSync(path, 'utf8');
}

function pidOf(pids: ReadonlyMap<string, number>, name: string): number {
  const pid = pids.get(name);
  if (pid === undefined) throw new StackError(`${name} does not run.`);
  return pid;
}

function systemsOf({ gateway, pids }: StepsRun): Map<string, SystemCounts> {
  return systemCounts(new Map(gateway.processes.map((name) => [name, pidOf(pids(), name)])));
}

/** The figures as Markdown, each step beside its budget. */
export function stepsReport({ rawUs, stepUs, stepBytes, counts, messages }: StepFigures): string {
  const times = (us: number) => `${(us / rawUs).toFixed(2)}x`;
  const kilobytes = (bytes: number | undefined) => (bytes === undefined ? '' : (bytes / 1_000).toFixed(1));
  const rows = steps.map(({ name, budget, places }) => {
    const us = stepUs.get(name) ?? 0;
    const where = Object.keys(places).join(', ');
    return [name, where, us.toFixed(1), times(us), `${budget.toFixed(2)}x`, kilobytes(stepBytes.get(name))];
  });
  const budget = steps.reduce((sum, step) => sum + step.budget, 0);
  const allUs = sumOf(stepUs);
  const table = [
    ['step', 'where', 'CPU µs/request', 'times the raw proxy', 'budget', 'kB allocated'],
    ...rows,
    ['all', '', allUs.toFixed(1), times(allUs), `${budget.toFixed(2)}x`, kilobytes(sumOf(stepBytes))],
  ];
  const each = [
    ['a request', 'reads', 'writes', 'sleeps'],
    ...[...counts].map(([name, { reads, writes, sleeps }]) => [name, ...[reads, writes, sleeps].map(toHundredths)]),
  ];
  return [
    `Plain requests, ${saturatedConnections} connections; the raw proxy takes ${rawUs.toFixed(1)} µs.`,
    figureTable(table),
    figureTable(each),
    `Messages a request: nats-server takes ${toHundredths(messages.taken)} and gives away ${toHundredths(messages.given)}.`,
  ].join('\n\n');
}

function sumOf(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}

function toHundredths(count: number): string {
  return count.toFixed(2);
}

/** The steps that cost more than their budget. */
export function stepsOverBudget({ rawUs, stepUs }: StepFigures): string[] {
  return steps.flatMap(({ name, budget }) => ((stepUs.get(name) ?? 0) / rawUs > budget ? [name] : []));
}
