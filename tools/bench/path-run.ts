import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { StackError } from '../stack/stack-error';
import { figureTable } from './bench-report';
import type { BenchTarget } from './bench-target';
import { coverage, passedBy, type Coverage } from './path-of';
import { shortStreamBody } from './request-bodies';

const counted = ['edge', 'inference'];
/** What runs every so often runs in this time. */
const idleMs = 16_000;
/** Until usage is stored and what was held is given back. */
const settleMs = 1_000;
const patienceMs = 30_000;

interface PathRun {
  gateway: BenchTarget;
  pids: () => ReadonlyMap<string, number>;
  /** Where the services write what ran. */
  folder: string;
}

/** The files and functions that a streamed completion passes, as Markdown: how many of each, and which. */
export async function pathReport(run: PathRun): Promise<string> {
  for (let warm = 0; warm < 5; warm++) await ask(run.gateway);
  await take(run, 0);
  await sleep(idleMs);
  const idle = await take(run, 1);
  await ask(run.gateway);
  await sleep(settleMs);
  const busy = await take(run, 2);
  const processes = counted.map((name) => {
    const passed = passedBy(busy.get(name) ?? [], idle.get(name) ?? []);
    const files = [...new Set(passed.map(({ file }) => file))].sort();
    return { name, passed, files };
  });
  const sums = figureTable([
    ['process', 'files', 'functions'],
    ...processes.map(({ name, files, passed }) => [name, String(files.length), String(passed.length)]),
  ]);
  const lists = processes.flatMap(({ name, passed, files }) => [
    `\n${name}:`,
    ...files.map((file) => {
      const names = passed.filter((one) => one.file === file).map((one) => one.name || 'a closure');
      return `- ${file}: ${names.join(', ')}`;
    }),
  ]);
  return ['A streamed completion of 16 chunks, not the first one, passes:\n', sums, ...lists].join('\n');
}

async function ask({ url, headers, model }: BenchTarget): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers, body: shortStreamBody(model) });
  const text = await answer.text();
  if (!text.endsWith('data: [DONE]\n\n')) throw new StackError(`The gateway answered ${answer.status}: ${text}`);
}

/** What ran in each process since it was last asked. */
async function take({ pids, folder }: PathRun, turn: number): Promise<ReadonlyMap<string, Coverage>> {
  const told = new Map<string, Coverage>();
  for (const name of counted) {
    const pid = pids().get(name);
    if (pid === undefined) throw new StackError(`${name} does not run.`);
    process.kill(pid, 'SIGUSR2');
    const path = join(folder, `${pid}.${turn}.coverage`);
    for (const giveUpAt = performance.now() + patienceMs; !existsSync(path); await sleep(50))
      if (performance.now() > giveUpAt) throw new StackError(`${name} did not tell what ran.`);
    told.set(name, coverage.parse(JSON.parse(readFileSync(path, 'utf8'))));
  }
  return told;
}
