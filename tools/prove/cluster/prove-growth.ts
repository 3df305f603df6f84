import { catalogOperations } from '@tollgate/contracts/catalog';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { startNatsCluster, startNatsServer, startPostgres } from '@tollgate/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { run as runCommand } from '../../cli/run';
import { buildServices } from '../../stack/build';
import { startStack } from '../../stack/stack';
import type { Stack } from '../../stack/stack';
import { answeredWhole, failures } from '../exchange';
import type { Outcome } from '../exchange';
import { storedEvents } from '../ledger/stored-events';
import { Load } from '../load';
import type { Say } from '../proof';
import { SimulatedProvider } from '../simulated-provider';
import type { LedgerRow } from '../simulated-provider';
import { steadyRequest } from '../steady-request';
import { audit } from './prove-cluster';

/** How many servers there are, one time after the other. */
const sizes = [1, 3, 1] as const;
const instances = { edge: 2, inference: 2, metering: 2 };
const loadMs = 8_000;
/** So long usage gathers before the servers are left. */
const gatherMs = 2_000;
/** What `usage drain` prints. */
const drained = z.object({ waitedAtFirst: z.number(), kept: z.object({ received: z.number(), stored: z.number() }) });

/** What was seen between two moves. */
interface Stay {
  outcomes: Outcome[];
  rows: LedgerRow[];
  models: CatalogModel[];
  /** What `usage drain` found before the servers were left; null: it refused. */
  drained: z.output<typeof drained> | null;
}

/**
 * Grows NATS from one server to three and back as docs/cluster.md says: callers stop, edges end, inference
 * ends, `usage drain` says that nothing is there any more, and the next servers begin empty. Holds when no
 * answer was cut, every drain came to its end, and each request is billed once.
 */
export async function proveGrowth(perSecond: number, say: Say): Promise<boolean> {
  await buildServices();
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-proof-'));
  const postgres = await startPostgres();
  const run = `grow-${Date.now().toString(36)}`;
  const stays: Stay[] = [];
  let apiKey: string | null = null;
  try {
    for (const [index, size] of sizes.entries()) {
      const stay = await onServers(size, async (natsUrl) => {
        const environment = { TOLLGATE_SANDBOX: 'on', NATS_REPLICAS: String(size) };
        const stack = await startStack({ dataFolder, instances, natsUrl, databaseUrl: postgres.url, environment });
        try {
          apiKey ??= (await stack.createKey({ name: 'grow', plan: 'enterprise', rpm: 10_000_000 })).apiKey;
          const load = new Load(stack.baseUrls, apiKey, perSecond);
          return await stayOn(stack, load, `${run}-${index}`, () => drain(natsUrl, say));
        } finally {
          await stack.stop();
        }
      });
      stays.push(stay);
      const bad = failures(stay.outcomes).length;
      say(
        `${size} servers: ${stay.outcomes.length} answers, ${bad} failed; ${stay.drained ? `drained of ${stay.drained.waitedAtFirst} messages, ${stay.drained.kept.received} events looked up again, ${stay.drained.kept.stored} of them missing` : 'NOT drained'}`,
      );
    }
    return report(stays, await storedEvents(postgres.url, run), say);
  } finally {
    await postgres.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** Plays `work` on so many servers of NATS. */
async function onServers(size: number, work: (natsUrl: string) => Promise<Stay>): Promise<Stay> {
  const nats = size === 1 ? await startNatsServer() : await startNatsCluster(size);
  try {
    return await work(nats.url);
  } finally {
    await nats.stop();
  }
}

async function stayOn(stack: Stack, load: Load, run: string, leave: () => Promise<Stay['drained']>): Promise<Stay> {
  const end = new AbortController();
  const finished = load.run(steadyRequests(run, end.signal));
  await delay(loadMs);
  const { models } = await stack.call(catalogOperations.snapshot, {});
  // So that something waits when all others have ended.
  const metering = [...stack.processes.values()].filter(({ name }) => name.startsWith('metering'));
  for (const one of metering) one.kill('SIGSTOP');
  await delay(gatherMs);
  end.abort();
  // What runs is finished by the edges, which are told to end now.
  await Promise.all(stopped(stack, 'edge'));
  await finished;
  const rows = await new SimulatedProvider(stack.sandboxUrl ?? '').ledger();
  await Promise.all(stopped(stack, 'inference'));
  for (const one of metering) one.kill('SIGCONT');
  return { outcomes: load.outcomes, rows, models, drained: await leave() };
}

/** `tollgate usage drain`, as an operator types it. */
async function drain(natsUrl: string, say: Say): Promise<Stay['drained']> {
  const environment = { NATS_URL: natsUrl };
  let printed = '';
  const write = { out: (text: string) => void (printed += text), error: (text: string) => say(text.trim()) };
  const exitCode = await runCommand(['usage', 'drain', '--json'], { environment, folder: tmpdir(), write });
  return exitCode === 0 ? drained.parse(JSON.parse(printed)) : null;
}

function* steadyRequests(run: string, end: AbortSignal) {
  for (let number = 0; !end.aborted; number++) yield steadyRequest(number, run);
}

function stopped(stack: Stack, service: string): Promise<void>[] {
  return [...stack.processes].flatMap(([name, process]) => (name.startsWith(service) ? [process.stop()] : []));
}

function report(stays: readonly Stay[], events: Awaited<ReturnType<typeof storedEvents>>, say: Say): boolean {
  const outcomes = stays.flatMap((stay) => stay.outcomes);
  const rows = stays.flatMap((stay) => stay.rows);
  const ids = new Set(outcomes.map(({ request }) => request.id));
  const wrongBill = audit(
    outcomes,
    rows.filter(({ requestId }) => ids.has(requestId)),
    events,
    stays[0]?.models ?? [],
  );
  const problems = [...failures(outcomes), ...wrongBill];
  const holds = problems.length === 0 && stays.length === sizes.length && stays.every((stay) => stay.drained !== null);
  say(
    [
      `One server, three, and one: ${answeredWhole(outcomes).length} of ${outcomes.length} answered whole, ${events.length} events.`,
      ...problems.slice(0, 8).map((problem) => `  ${problem}`),
      holds ? 'Proved: growing cuts nothing, loses nothing and bills nothing twice.' : 'NOT proved.',
    ].join('\n'),
  );
  return holds;
}
