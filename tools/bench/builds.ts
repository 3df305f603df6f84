import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type * as stackModule from '../stack/stack';
import type { Stack } from '../stack/stack';
import { StackError } from '../stack/stack-error';
import { workspaceRoot } from '../stack/workspace-root';
import { pacedPerS } from './bench-plan';
import { providerUrl } from './bench-target';
import { BenchProcess } from './child-process';
import { measure } from './measurement';
import { median } from './percentiles';
import { countsEach, systemCounts, type SystemCounts } from './system-counts';
import { jobOf, kinds, wayThrough, type Kind, type Way } from './ways';

const warmUpS = 3;

/** How often each way is asked for how long. */
interface Turns {
  rounds: number;
  seconds: number;
  ratePerS: number;
}

/**
 * `npm run bench:builds -- ../other-checkout …`: what this checkout's build and others cost in CPU beside
 * the raw proxy, and how often each process of theirs reads, writes and sleeps. All run at once and are
 * asked in turns of `--seconds` (2), `--rounds` (6) times, so that whatever else a busy machine does
 * falls on all of them; medians. `--kinds` (saturated,paced,streams): what is asked; `--rate` (200):
 * paced requests a second. Where a machine is busy only few a second come alone, as 200 do where it is
 * not. `--node` (a path, any number of times): each build's services run on each of these in place of the
 * Node.js of this command, which the raw proxy keeps; a script that ends in `exec node --option "$@"`
 * gives them an option. Each checkout must be built. Of two builds that cost the same, that which is
 * started first takes up to a quarter more, or less: name each twice, so that one is first and last of
 * all (`../other ../other .`). Stacks of one build are told as one.
 */
async function compareBuilds(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '6' },
      seconds: { type: 'string', default: '2' },
      kinds: { type: 'string', default: kinds.join() },
      rate: { type: 'string', default: String(pacedPerS) },
      node: { type: 'string', multiple: true, default: [process.execPath] },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-builds-'));
  const stacks: Stack[] = [];
  const generator = new BenchProcess('load/generator.ts');
  const helpers = [generator];
  const stop = async (): Promise<void> => {
    for (const helper of helpers) helper.stop();
    await Promise.all(stacks.map((stack) => stack.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  process.once('SIGINT', () => void stop().finally(() => process.exit(130)));
  try {
    const ways: Way[] = [];
    for (const checkout of [workspaceRoot, ...positionals.map((path) => resolve(path))]) {
      const { startStack } = (await import(join(checkout, 'tools/stack/stack.ts'))) as typeof stackModule;
      for (const node of values.node) {
        const dataFolder = join(folder, String(stacks.length));
        const stack = await startStack({ dataFolder, node, environment: { LOG_LEVEL: 'warn' } });
        stacks.push(stack);
        const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
        ways.push(await wayThrough(stack, `${basename(checkout)}, ${basename(node)} ${version}`));
      }
    }
    const [first] = ways;
    const sandboxUrl = stacks[0]?.sandboxUrl;
    if (!first || !sandboxUrl) throw new StackError('The benchmark needs the simulated providers.');
    const rawProxy = new BenchProcess('raw-proxy.ts', [providerUrl(sandboxUrl)]);
    helpers.push(rawProxy);
    const { port } = await rawProxy.next(z.object({ port: z.number() }));
    const headers = { 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${port}/`;
    ways.unshift({ ...first, name: 'raw proxy', url, headers, pids: () => new Map([['raw proxy', rawProxy.pid]]) });
    for (const way of ways) await measure(generator, jobOf('saturated', way, warmUpS), way.pids);
    const asked = values.kinds.split(',');
    const turns = { rounds: Number(values.rounds), seconds: Number(values.seconds), ratePerS: Number(values.rate) };
    for (const kind of kinds.filter((one) => asked.includes(one))) await compare(kind, ways, generator, turns);
  } finally {
    await stop();
  }
}

/**
 * Prints two lines for each way: microseconds of CPU of each process for a request (of streams: a chunk), and
 * how many times the raw proxy's that is; and reads, writes and sleeps of each.
 */
async function compare(kind: Kind, ways: readonly Way[], generator: BenchProcess, turns: Turns): Promise<void> {
  const { rounds, seconds, ratePerS } = turns;
  const costs = new Map(ways.map(({ name }) => [name, new Map<string, number[]>()]));
  const totals = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const counts = new Map<string, Map<string, SystemCounts>[]>(ways.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const before = systemCounts(way.pids());
      const measured = await measure(generator, jobOf(kind, way, seconds, ratePerS), way.pids);
      const after = systemCounts(way.pids());
      const count = kind === 'streams' ? measured.load.chunks : measured.load.requests;
      const each = [...measured.costs].map(([process, { cpuUs }]) => [process, cpuUs / count] as const);
      for (const [process, us] of each) {
        const own = costs.get(way.name);
        own?.set(process, [...(own.get(process) ?? []), us]);
      }
      counts.get(way.name)?.push(countsEach(before, after, count));
      totals.get(way.name)?.push(each.reduce((sum, [, us]) => sum + us, 0));
    }
  }
  const raw = median(totals.get('raw proxy') ?? []);
  console.log(`\n${kind}, µs (times the raw proxy); load average ${loadavg()[0]?.toFixed(1)}`);
  const told = (us: number): string => `${us.toFixed(1)} (${(us / raw).toFixed(2)}x)`;
  for (const name of costs.keys()) {
    const parts = [...(costs.get(name) ?? [])].map(([process, us]) => `${process} ${told(median(us))}`);
    console.log(`${name}: ${told(median(totals.get(name) ?? []))}: ${parts.join(', ')}`);
    console.log(`  reads, writes, sleeps: ${countsTold(counts.get(name) ?? [])}`);
  }
}

/** The medians of each process. */
function countsTold(rounds: readonly Map<string, SystemCounts>[]): string {
  return [...(rounds[0]?.keys() ?? [])]
    .map((process) => {
      const told = (count: keyof SystemCounts): string =>
        median(rounds.map((round) => round.get(process)?.[count] ?? 0)).toFixed(2);
      return `${process} ${told('reads')} ${told('writes')} ${told('sleeps')}`;
    })
    .join(', ');
}

compareBuilds().catch((error: unknown) => {
  console.error(error instanceof StackError ? error.message : error);
  process.exit(1);
});
