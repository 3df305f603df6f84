import { mkdtemp, rm } from 'node:fs/promises';
import { freePort } from '@tollgate/testing';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { buildServices } from '../stack/build';
import { startStack, type Stack } from '../stack/stack';
import { StackError } from '../stack/stack-error';
import { workspaceRoot } from '../stack/workspace-root';
import { targetFigures } from './bench-figures';
import { fullPlan, quickPlan, type BenchPlan } from './bench-plan';
import { benchReport } from './bench-report';
import { BenchRun } from './bench-run';
import { benchTargets, firstModel, providerUrl, type BenchTargets } from './bench-target';
import { BenchProcess } from './child-process';
import { machine } from './machine';
import { pathReport } from './path-run';
import { measureSteps, stepsOverBudget, stepsReport } from './steps-run';

/**
 * `npm run bench` (with `-- --quick` in half a minute; `--no-build` takes what was built before; `--compact`:
 * the layout of one small machine): what the gateway costs, against a raw proxy and against nothing.
 * Everything is on loopback.
 * `-- --steps`: what each step of a plain request costs, beside its budget; with `--hold` it fails where one
 * is over it.
 * `-- --path`: which files and functions of ours a completion passes, plain and streamed, and how often.
 */
async function bench(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: { quick: flag, compact: flag, 'no-build': flag, steps: flag, hold: flag, path: flag },
  });
  const startedAt = performance.now();
  const [loadBefore = 0] = loadavg();
  const dataFolder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  if (!values['no-build']) {
    console.log('Building the services (only what changed)…');
    await buildServices();
  }
  const layout = values.compact ? 'compact' : 'split';
  const environment = {
    LOG_LEVEL: 'warn',
    ...(values.steps && preloading('profiled.mjs', dataFolder)),
    ...(values.path && preloading('counted.mjs', dataFolder)),
  };
  const natsMonitorPort = await freePort();
  const stack = await startStack({ dataFolder, layout, environment, natsMonitorPort });
  const ended = (): void => void stack.stop().finally(() => process.exit(130));
  process.once('SIGINT', ended).once('SIGTERM', ended);
  try {
    if (values.path)
      await withTargets(stack, async ([, , gateway], _, pids) =>
        console.log(await pathReport({ gateway, pids, folder: dataFolder })),
      );
    else if (values.steps) await showSteps(stack, { folder: dataFolder, natsMonitorPort }, values.hold);
    else console.log(await measureStack(stack, values.quick ? quickPlan : fullPlan));
  } finally {
    await stack.stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
  console.log(
    `\n${machine()}; load average before: ${loadBefore.toFixed(1)}; ${Math.round((performance.now() - startedAt) / 1_000)} s in all`,
  );
}

/** The environment of services that load a program of this folder first, which writes into `dataFolder`. */
function preloading(program: string, dataFolder: string): Record<string, string> {
  const preload = pathToFileURL(join(workspaceRoot, 'tools/bench', program));
  return { NODE_OPTIONS: `--import ${preload.href}`, NODE_PROFILES_FOLDER: dataFolder };
}

async function measureStack(stack: Stack, plan: BenchPlan): Promise<string> {
  return withTargets(stack, async (targets, generator, pids) => {
    const run = new BenchRun(plan, targets, generator, pids, (line) => console.log(line));
    await run.run();
    const figures = targets.flatMap((target) => {
      const measured = run.results.get(target.name);
      return measured ? [targetFigures(target, measured)] : [];
    });
    return `\n${benchReport(figures, plan.heldStreams)}`;
  });
}

/** `isHeld`: a step over its budget is a failure. */
async function showSteps(
  stack: Stack,
  told: { folder: string; natsMonitorPort: number },
  isHeld: boolean,
): Promise<void> {
  const figures = await withTargets(stack, ([, raw, gateway], generator, pids) =>
    measureSteps({ raw, gateway, generator, pids, ...told }),
  );
  console.log(stepsReport(figures));
  const over = stepsOverBudget(figures);
  if (over.length > 0) console.log(`\nOver their budget: ${over.join(', ')}.`);
  if (isHeld && over.length > 0) process.exitCode = 1;
}

async function withTargets<Result>(
  stack: Stack,
  work: (targets: BenchTargets, generator: BenchProcess, pids: () => Map<string, number>) => Promise<Result>,
): Promise<Result> {
  const { sandboxUrl } = stack;
  if (sandboxUrl === null) throw new StackError('The benchmark needs the simulated providers.');
  const { apiKey } = await stack.createKey({ name: 'bench', plan: 'enterprise', rpm: null, quotaTokens: null });
  const rawProxy = new BenchProcess('raw-proxy.ts', [providerUrl(sandboxUrl)]);
  const generator = new BenchProcess('load/generator.ts');
  try {
    const { port } = await rawProxy.next(z.object({ port: z.number() }));
    const targets = benchTargets({
      sandboxUrl,
      rawProxyUrl: `http://127.0.0.1:${port}/`,
      gatewayUrl: stack.baseUrl,
      apiKey,
      model: await firstModel(stack.baseUrl, apiKey),
      gatewayProcesses: [...stack.processes.keys()].filter((name) => name !== 'sandbox'),
    });
    return await work(targets, generator, () => pidsOf(stack, rawProxy));
  } finally {
    rawProxy.stop();
    generator.stop();
  }
}

function pidsOf(stack: Stack, rawProxy: BenchProcess): Map<string, number> {
  const services = [...stack.processes].flatMap(([name, { pid }]): [string, number][] =>
    pid === null ? [] : [[name, pid]],
  );
  return new Map([...services, ['raw proxy', rawProxy.pid]]);
}

bench().catch((error: unknown) => {
  console.error(error instanceof StackError ? error.message : error);
  process.exit(1);
});
