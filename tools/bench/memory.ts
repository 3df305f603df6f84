import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { layouts, type Layout } from '../stack/launcher-variables';
import { startStack, type Stack } from '../stack/stack';
import { StackError } from '../stack/stack-error';
import { figureTable } from './bench-report';
import { firstModel } from './bench-target';
import { BenchProcess } from './child-process';
import { measure } from './measurement';
import { memoryMeasure, processCosts } from './process-cost';
import { heldStreamBody } from './request-bodies';

const streamS = 8;

/** Bytes by process. */
type Memory = Map<string, number>;

/**
 * `npm run bench:memory`: what the processes of each layout hold, `--idle` (20) seconds after their start and
 * with `--streams` (1,000) open streams; the launcher and the simulated providers do not count. The services
 * must have been built. Layouts that are named are measured alone.
 */
async function benchMemory(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { idle: { type: 'string', default: '20' }, streams: { type: 'string', default: '1000' } },
  });
  for (const layout of layouts.filter((name) => positionals.length === 0 || positionals.includes(name))) {
    const [loadBefore = 0] = loadavg();
    const dataFolder = await mkdtemp(join(tmpdir(), 'tollgate-memory-'));
    const stack = await startStack({ dataFolder, layout, environment: { LOG_LEVEL: 'warn' } });
    const ended = (): void => void stack.stop().finally(() => process.exit(130));
    process.once('SIGINT', ended).once('SIGTERM', ended);
    try {
      await sleep(Number(values.idle) * 1_000);
      const idle = memoryOf(stack);
      const open = await withOpenStreams(stack, Number(values.streams));
      console.log(report(layout, idle, open, Number(values.streams)));
      console.log(`Memory: ${memoryMeasure}. Load average before: ${loadBefore.toFixed(1)}.\n`);
    } finally {
      process.off('SIGINT', ended).off('SIGTERM', ended);
      await stack.stop();
      await rm(dataFolder, { recursive: true, force: true });
    }
  }
}

function memoryOf(stack: Stack): Memory {
  return new Map([...processCosts(pidsOf(stack))].map(([name, { memoryBytes }]) => [name, memoryBytes]));
}

/** The most that each process held while so many streams were open, each with five chunks a second. */
async function withOpenStreams(stack: Stack, connections: number): Promise<Memory> {
  const { apiKey } = await stack.createKey({ name: 'bench', plan: 'enterprise', rpm: null, quotaTokens: null });
  const model = await firstModel(stack.baseUrl, apiKey);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
  const url = `${stack.baseUrl}/v1/chat/completions`;
  const generator = new BenchProcess('load/generator.ts');
  try {
    const job = { kind: 'held', url, headers, body: heldStreamBody(model, streamS), connections } as const;
    const { load, costs } = await measure(generator, job, () => pidsOf(stack));
    if (load.errors > 0) throw new StackError(`${load.errors} streams failed: ${load.firstError ?? ''}`);
    return new Map([...costs].map(([name, { memoryBytes }]) => [name, memoryBytes]));
  } finally {
    generator.stop();
  }
}

function pidsOf({ processes }: Stack): Map<string, number> {
  return new Map(
    [...processes].flatMap(([name, { pid }]) => (pid === null || name === 'sandbox' ? [] : [[name, pid] as const])),
  );
}

function report(layout: Layout, idle: Memory, open: Memory, streams: number): string {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  const all = (memory: Memory): number => [...memory.values()].reduce((sum, bytes) => sum + bytes, 0);
  const rows = [...idle].map(([name, bytes]) => [name, megabytes(bytes), megabytes(open.get(name) ?? 0)]);
  return figureTable([
    [layout, 'idle, MB', `${streams} open streams, MB`],
    ...rows,
    ['all', megabytes(all(idle)), megabytes(all(open))],
  ]);
}

benchMemory().catch((error: unknown) => {
  console.error(error instanceof StackError ? error.message : error);
  process.exit(1);
});
