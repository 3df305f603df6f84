import { catalogOperations } from '@tollgate/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import { answeredWhole, failures } from '../exchange';
import type { Outcome } from '../exchange';
import { reconcile } from '../ledger/reconcile';
import { settledRows } from '../ledger/settled-rows';
import { storedEvents } from '../ledger/stored-events';
import { Load } from '../load';
import { SimulatedProvider } from '../simulated-provider';
import { clusterRequests } from './cluster-requests';
import type { Strike } from './strikes';

export interface ClusterOptions {
  /** Between the end of a strike and the next: longer than the longest answer, so that each failure is its strike's. */
  calmMs: number;
  perSecond: number;
  onProgress: (line: string) => void;
}

/** A strike, how many outcomes there were before it, and when it began, epoch milliseconds. */
export interface Played {
  strike: Strike;
  before: number;
  startedAt: number;
}

/** What a strike did. `goodAgainMs`: from its beginning until the last request was sent that failed; 0 when none did. */
export interface Struck {
  name: string;
  isPlanned: boolean;
  answers: number;
  /** Streams that broke after their first piece. */
  cut: number;
  /** Others that failed. */
  failed: number;
  goodAgainMs: number;
  problems: string[];
}

export interface ClusterProof {
  strikes: Struck[];
  requests: number;
  /** A sentence for each request that the provider booked and that has no event, or more than one, or whose tokens differ. */
  wrongBill: string[];
  holds: boolean;
}

/** After a node died or hung, whatever was asked this late must be answered. */
const goodAgainWithinMs = 2_000;
/** How many answers of the first moments, when caches are cold, come before the first strike. */
const warmUpMs = 5_000;

/** Sends plain and streamed requests through all edges while one node of the cluster after the other is struck. */
export async function proveCluster(
  stack: Stack,
  strikes: readonly Strike[],
  { calmMs, perSecond, onProgress }: ClusterOptions,
): Promise<ClusterProof> {
  const provider = new SimulatedProvider(stack.sandboxUrl ?? '');
  const limits = { rpm: 10_000_000, quotaTokens: 1_000_000_000_000 };
  const { apiKey, key } = await stack.createKey({ name: 'cluster', plan: 'enterprise', ...limits });
  const run = `cluster-${Date.now().toString(36)}`;
  const load = new Load(stack.baseUrls, apiKey, perSecond);
  const end = new AbortController();
  const finished = load.run(clusterRequests(run, end.signal));
  await delay(warmUpMs);
  const played: Played[] = [];
  for (const strike of strikes) {
    const from = { strike, before: load.outcomes.length, startedAt: Date.now() };
    played.push(from);
    await strike.play();
    await delay(calmMs);
    const [seen] = judged([from], load.outcomes);
    if (seen) onProgress(`${seen.name}: of ${seen.answers} answers ${seen.cut} cut, ${seen.failed} failed`);
  }
  end.abort();
  await finished;
  const struck = judged(played, load.outcomes);
  onProgress('All answers are in; waiting until everything is booked.');
  const wrongBill = await audit(stack, provider, run, key.id, load.outcomes);
  return {
    strikes: struck,
    requests: load.outcomes.length,
    wrongBill,
    holds: wrongBill.length === 0 && struck.every(isAsPromised),
  };
}

/** Planned: nobody notices. Unplanned: no stream is cut, and what is asked two seconds later is answered. A strike that nobody asked anything during shows nothing. */
export function isAsPromised({ isPlanned, answers, cut, failed, goodAgainMs }: Struck): boolean {
  return answers > 0 && cut === 0 && goodAgainMs <= goodAgainWithinMs && (!isPlanned || failed === 0);
}

/** Each outcome counts for the strike before it; those that came after the calm of the last one for that. */
export function judged(played: readonly Played[], outcomes: readonly Outcome[]): Struck[] {
  return played.map(({ strike, before, startedAt }, index) =>
    judge(strike, outcomes.slice(before, played[index + 1]?.before), startedAt),
  );
}

function judge({ name, isPlanned }: Strike, outcomes: readonly Outcome[], startedAt: number): Struck {
  const whole = new Set(answeredWhole(outcomes));
  const bad = outcomes.filter(({ request }) => !whole.has(request.id));
  const cut = bad.filter(({ content }) => content !== '').length;
  return {
    name,
    isPlanned,
    answers: outcomes.length,
    cut,
    failed: bad.length - cut,
    goodAgainMs: Math.max(0, ...bad.map(({ sentAt }) => sentAt - startedAt)),
    problems: failures(bad),
  };
}

/** Whole answers must be billed to the token. Of what was cut, bytes were on the wire that nobody read: there the events are counted only. */
async function audit(
  stack: Stack,
  provider: SimulatedProvider,
  run: string,
  keyId: string,
  outcomes: readonly Outcome[],
): Promise<string[]> {
  const { models } = await stack.call(catalogOperations.snapshot, {});
  const rows = await settledRows(stack, provider, run, keyId);
  const events = await storedEvents(stack.databaseUrl, run);
  const whole = new Set(answeredWhole(outcomes));
  const isWhole = (id: string) => whole.has(id);
  const { problems } = reconcile(
    outcomes.filter(({ request }) => isWhole(request.id)),
    rows.filter(({ requestId }) => isWhole(requestId)),
    events.filter(({ request_id }) => isWhole(request_id)),
    models,
  );
  const counts = new Map<string, number>();
  for (const { request_id: id } of events) counts.set(id, (counts.get(id) ?? 0) + 1);
  const booked = new Set(rows.map(({ requestId }) => requestId).filter((id) => !isWhole(id)));
  const uncounted = [...booked].filter((id) => counts.get(id) !== 1);
  return [...problems, ...uncounted.map((id) => `${id} failed and has ${counts.get(id) ?? 0} usage events`)];
}
