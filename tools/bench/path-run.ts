import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { StackError } from '../stack/stack-error';
import { figureTable } from './bench-report';
import type { BenchTarget } from './bench-target';
import { coverage, passedBy, type Coverage } from './path-of';
import { plainBody, shortStreamBody } from './request-bodies';

const counted = ['edge', 'inference'];
/** More than an instance wants confirmed of an edge that it does not know (`newEdgeRequests`). */
const warmUps = 15;
/** What runs every so often runs in this time. */
const idleMs = 16_000;
/** Until usage is stored and what was held is given back. */
const settleMs = 1_000;
const patienceMs = 30_000;

interface Kind {
  name: string;
  body: (model: string) => string;
  /** Of a whole answer. */
  end: string;
}
const kinds: readonly Kind[] = [
  { name: 'A plain completion', body: plainBody, end: '}' },
  { name: 'A streamed completion of 16 chunks', body: shortStreamBody, end: 'data: [DONE]\n\n' },
];

interface PathRun {
  gateway: BenchTarget;
  pids: () => ReadonlyMap<string, number>;
  /** Where the services write what ran. */
  folder: string;
}

/** The files and functions that each kind of completion passes, as Markdown: how many, which, how often. */
export async function pathReport(run: PathRun): Promise<string> {
  for (let warm = 0; warm < warmUps; warm++) for (const kind of kinds) await ask(run.gateway, kind);
  await take(run, 0);
  await sleep(idleMs);
  const idle = await take(run, 1);
  const reports: string[] = [];
  for (const [index, kind] of kinds.entries()) {
    await ask(run.gateway, kind);
    await sleep(settleMs);
    reports.push(report(kind, idle, await take(run, 2 + index)));
  }
  return reports.join('\n\n');
}

function report({ name: kind }: Kind, idle: ReadonlyMap<string, Coverage>, busy: ReadonlyMap<string, Coverage>) {
  const processes = counted.map((name) => {
    const passed = passedBy(busy.get(name) ?? [], idle.get(name) ?? []);
    const files = [...new Set(passed.map(({ file }) => file))].sort();
    return { name, passed, files, calls: passed.reduce((sum, { calls }) => sum + calls, 0) };
  });
  const sums = figureTable([
    ['process', 'files', 'functions', 'calls'],
    ...processes.map(({ name, files, passed, calls }) => [
      name,
      String(files.length),
      String(passed.length),
      String(calls),
    ]),
  ]);
  const lists = processes.flatMap(({ name, passed, files }) => [
    `\n${name}:`,
    ...files.map((file) => {
      const names = passed.filter((one) => one.file === file).map(told);
      return `- ${file}: ${names.join(', ')}`;
    }),
  ]);
  return [`${kind}, not the first one, passes:\n`, sums, ...lists].join('\n');
}

function told({ name, calls }: { name: string; calls: number }): string {
  return (name || 'a closure') + (calls > 1 ? ` ${calls}x` : '');
}

async function ask({ url, headers, model }: BenchTarget, { body, end }: Kind): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers, body: body(model) });
  const text = await answer.text();
  if (!text.endsWith(end)) throw new StackError(`The gateway answered ${answer.status}: ${text}`);
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
