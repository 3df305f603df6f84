import { catalogOperations } from '@tollgate/contracts/catalog';
import { meteringOperations } from '@tollgate/contracts/metering';
import { setTimeout as delay } from 'node:timers/promises';
import { notBilledOnce } from '../billed';
import type { Site } from '../chaos/site';
import { answeredWhole, failures } from '../exchange';
import type { Outcome } from '../exchange';
import { reconcile } from '../ledger/reconcile';
import type { Reconciliation } from '../ledger/reconcile';
import { storedEvents } from '../ledger/stored-events';
import { auditTold } from '../ledger/told-charges';
import { Load } from '../load';
import { SimulatedProvider } from '../simulated-provider';
import { steadyRequests } from '../steady-request';
import { makeKnownKey } from './known-key';

export interface PostgresOutageOptions {
  perSecond: number;
  /** How long Postgres is stopped, milliseconds. */
  awayMs: number;
  /** Load without an outage before and after it, milliseconds. */
  calmMs: number;
  onProgress: (line: string) => void;
}

export interface PostgresOutage {
  awayMs: number;
  requests: number;
  streams: number;
  /** Requests that were answered while Postgres was away; their usage had to wait. */
  answeredMeanwhile: number;
  /** A sentence for each request that was not answered whole. */
  failed: string[];
  /**
   * From Postgres's return until it held the usage of every request that had been answered by then; null: it
   * did not in time.
   */
  landedAfterMs: number | null;
  /** The callers, the provider's books and the ledger, at the end. */
  reconciliation: Reconciliation;
  deadLetters: number;
  holds: boolean;
}

const progressEveryMs = 30_000;
/** All usage is in Postgres within this time of its return. */
const landingMs = 120_000;

/** Stops Postgres under load for a while: no caller with a known key may notice, and no usage may be lost. */
export async function provePostgresOutage(
  site: Site,
  { perSecond, awayMs, calmMs, onProgress }: PostgresOutageOptions,
): Promise<PostgresOutage> {
  const { stack, postgres } = site;
  const apiKey = await makeKnownKey(stack, 'postgres outage');
  const run = `postgres-outage-${Date.now().toString(36)}`;
  const load = new Load(stack.baseUrls, apiKey, perSecond);
  const end = new AbortController();
  const finished = load.run(steadyRequests(run, end.signal));
  const tell = () =>
    onProgress(`Postgres is away: ${failures(load.outcomes).length} of ${load.outcomes.length} failed`);

  await delay(calmMs);
  await postgres.stop();
  const goneAt = Date.now();
  const telling = setInterval(tell, progressEveryMs);
  await delay(awayMs);
  clearInterval(telling);
  tell();
  await postgres.start();
  const backAt = Date.now();
  const owed = await notBilledOnce(stack.databaseUrl, run, answeredWhole(load.outcomes), landingMs);
  const landedAfterMs = owed.length === 0 ? Date.now() - backAt : null;
  await delay(calmMs);
  end.abort();
  await finished;

  await notBilledOnce(stack.databaseUrl, run, answeredWhole(load.outcomes), landingMs);
  const reconciliation = await compare(site, run, load.outcomes);
  const { deadLetters } = await stack.call(meteringOperations.status, {});
  const failed = failures(load.outcomes);
  const answeredMeanwhile = load.outcomes.filter(({ endedAt }) => endedAt > goneAt && endedAt < backAt).length;
  const isExact = reconciliation.problems.length === 0 && deadLetters === 0;
  return {
    awayMs: backAt - goneAt,
    requests: load.outcomes.length,
    streams: load.outcomes.filter(({ request }) => request.stream).length,
    answeredMeanwhile,
    failed,
    landedAfterMs,
    reconciliation,
    deadLetters,
    holds: failed.length === 0 && answeredMeanwhile > 0 && landedAfterMs !== null && isExact,
  };
}

async function compare({ stack }: Site, run: string, outcomes: readonly Outcome[]): Promise<Reconciliation> {
  const rows = await new SimulatedProvider(stack.sandboxUrl ?? '').ledger();
  const { models } = await stack.call(catalogOperations.snapshot, {});
  const own = rows.filter(({ requestId }) => requestId.startsWith(`${run}-`));
  const events = await storedEvents(stack.databaseUrl, run);
  const reconciliation = reconcile(outcomes, own, events, models);
  // Its key tells no charges, and its requests ask for none.
  const { problems } = auditTold(outcomes, events, false);
  return { ...reconciliation, problems: [...reconciliation.problems, ...problems] };
}
