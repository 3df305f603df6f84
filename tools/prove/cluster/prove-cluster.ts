import { catalogOperations } from '@tollgate/contracts/catalog';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { meteringOperations } from '@tollgate/contracts/metering';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import type { Balancer } from '../balancer';
import { answeredWhole, failures } from '../exchange';
import type { Outcome } from '../exchange';
import { isAnsweredTwice, reconcile } from '../ledger/reconcile';
import { settledRows } from '../ledger/settled-rows';
import { storedEvents } from '../ledger/stored-events';
import type { StoredEvent } from '../ledger/stored-events';
import { Load } from '../load';
import { SimulatedProvider } from '../simulated-provider';
import type { LedgerRow } from '../simulated-provider';
import { clusterRequests } from './cluster-requests';
import type { Strike } from './strikes';

export interface ClusterOptions {
  /**
   * Between the end of a strike and the next: longer than the longest answer, so that each failure is its
   * strike's.
   */
  calmMs: number;
  perSecond: number;
  onProgress: (line: string) => void;
}

/** A strike, how many outcomes there were before it, and when it began and ended, epoch milliseconds. */
export interface Played {
  strike: Strike;
  before: number;
  startedAt: number;
  endedAt: number;
  /** What `play` said; empty while it plays. */
  faults: string[];
}

/**
 * What a strike did. `goodAgainMs`: from its beginning, or its end where it takes all, until the last request
 * was sent that failed; 0 when none did.
 */
export interface Struck {
  name: string;
  isPlanned: boolean;
  takesAll: boolean;
  answers: number;
  /** Streams that broke after their first piece. */
  cut: number;
  /** Others that failed. */
  failed: number;
  /** Of both, those whose caller was not told: the answer just ended, or never came. */
  silent: number;
  goodAgainMs: number;
  /** What the strike itself found wrong, apart from answers. */
  faults: string[];
  problems: string[];
}

export interface ClusterProof {
  strikes: Struck[];
  requests: number;
  /**
   * A sentence for each request that the provider booked and that has no event, or more than one, or whose
   * tokens differ; and for each sum that is not that of the events.
   */
  wrongBill: string[];
  /**
   * How many requests the provider answered twice, and the ids of those of which inference told the operator
   * nothing: what nobody pays must be seen.
   */
  answeredTwice: { requests: number; untold: string[] };
  holds: boolean;
}

/**
 * Who hangs on a node that says nothing leaves it within this time: a request that is sent later goes
 * elsewhere.
 */
const leftWithinMs = 1_250;
/** What inference logs of a request that a provider was asked for twice. */
const askedTwice = /"requestId":"([^"]+)".*a provider was asked for what another instance answers/;

/** After a node died or hung, whatever was asked this late must be answered. */
const goodAgainWithinMs = 2_000;
/** How many answers of the first moments, when caches are cold, come before the first strike. */
const warmUpMs = 5_000;

/**
 * Sends plain and streamed requests through all edges while one node of the cluster after the other is
 * struck.
 */
export async function proveCluster(
  stack: Stack,
  balancer: Balancer,
  strikes: readonly Strike[],
  { calmMs, perSecond, onProgress }: ClusterOptions,
): Promise<ClusterProof> {
  const provider = new SimulatedProvider(stack.sandboxUrl ?? '');
  const limits = { rpm: 10_000_000, quotaTokens: 1_000_000_000_000 };
  const { apiKey, key } = await stack.createKey({ name: 'cluster', plan: 'enterprise', ...limits });
  const run = `cluster-${Date.now().toString(36)}`;
  const load = new Load(balancer, apiKey, perSecond);
  const end = new AbortController();
  const finished = load.run(clusterRequests(run, end.signal));
  const played: Played[] = [];
  try {
    await delay(warmUpMs);
    for (const strike of strikes) {
      const startedAt = Date.now();
      const from: Played = { strike, before: load.outcomes.length, startedAt, endedAt: startedAt, faults: [] };
      played.push(from);
      from.faults = await strike.play();
      from.endedAt = Date.now();
      await delay(calmMs);
      const [seen] = judged([from], load.outcomes);
      if (seen) onProgress(`${seen.name}: of ${seen.answers} answers ${seen.cut} cut, ${seen.failed} failed`);
    }
  } finally {
    // Also after a strike that could not be played: the load would go on for ever.
    end.abort();
    await finished;
  }
  const struck = judged(played, load.outcomes);
  onProgress('All answers are in; waiting until everything is booked.');
  const rows = await settledRows(stack, provider, run, key.id);
  const { models } = await stack.call(catalogOperations.snapshot, {});
  const { differences } = await stack.call(meteringOperations.recount, { keyId: key.id });
  const wrongBill = [
    ...audit(load.outcomes, rows, await storedEvents(stack.databaseUrl, run), models, (one) =>
      wasUnderWay(one, played),
    ),
    ...differences.map(
      ({ field, events, rollups }) => `the sum of ${field} is ${rollups}, that of the events ${events}`,
    ),
  ];
  const twice = load.outcomes
    .map(({ request }) => request.id)
    .filter((id) => isAnsweredTwice(rows.filter(({ requestId }) => requestId === id)));
  const told = toldAsTwice(
    [...stack.processes].flatMap(([name, { logFile }]) =>
      name.startsWith('inference') ? [readFileSync(logFile, 'utf8')] : [],
    ),
  );
  const untold = twice.filter((id) => !told.has(id));
  return {
    strikes: struck,
    requests: load.outcomes.length,
    wrongBill,
    answeredTwice: { requests: twice.length, untold },
    holds: wrongBill.length === 0 && untold.length === 0 && struck.every(isAsPromised),
  };
}

/** The requests that logs of inference tell of as asked twice. */
export function toldAsTwice(logs: readonly string[]): ReadonlySet<string> {
  const ids = logs.flatMap((log) => log.split('\n')).flatMap((line) => askedTwice.exec(line)?.[1] ?? []);
  return new Set(ids);
}

/**
 * Whether a request was under way as something broke that nobody foretold. Where an instance had begun it and
 * its word of that was lost, edge asks another one: neither can know of the other in that moment.
 */
export function wasUnderWay({ sentAt, endedAt }: Outcome, played: readonly Played[]): boolean {
  return played.some(
    ({ strike, startedAt }) => !strike.isPlanned && sentAt <= startedAt + leftWithinMs && endedAt >= startedAt,
  );
}

/**
 * Planned: nobody notices. Unplanned: no stream is cut (but by what takes all), and what is asked two seconds
 * later is answered. A strike that nobody asked anything during shows nothing.
 */
export function isAsPromised(struck: Struck): boolean {
  const { isPlanned, takesAll, answers, cut, failed, silent, goodAgainMs, faults } = struck;
  if (faults.length > 0 || silent > 0 || answers === 0) return false;
  return (cut === 0 || takesAll) && goodAgainMs <= goodAgainWithinMs && (!isPlanned || failed === 0);
}

/** Each outcome counts for the strike before it; those that came after the calm of the last one for that. */
export function judged(played: readonly Played[], outcomes: readonly Outcome[]): Struck[] {
  return played.map((one, index) => judge(one, outcomes.slice(one.before, played[index + 1]?.before)));
}

function judge({ strike, startedAt, endedAt, faults }: Played, outcomes: readonly Outcome[]): Struck {
  const { name, isPlanned, takesAll = false } = strike;
  const from = takesAll ? endedAt : startedAt;
  const whole = new Set(answeredWhole(outcomes));
  const bad = outcomes.filter(({ request }) => !whole.has(request.id));
  const cut = bad.filter(({ content }) => content !== '').length;
  return {
    ...{ name, isPlanned, takesAll },
    answers: outcomes.length,
    cut,
    failed: bad.length - cut,
    silent: bad.filter(({ state }) => state === 'silent').length,
    goodAgainMs: Math.max(0, ...bad.map(({ sentAt }) => sentAt - from)),
    faults,
    problems: [...faults, ...failures(bad)],
  };
}

/**
 * Whole answers must be billed to the token. Of what was cut, bytes were on the wire that nobody read: there
 * the events are counted only.
 */
export function audit(
  outcomes: readonly Outcome[],
  rows: readonly LedgerRow[],
  events: readonly StoredEvent[],
  models: readonly CatalogModel[],
  mayBeAnsweredTwice?: (outcome: Outcome) => boolean,
): string[] {
  const whole = new Set(answeredWhole(outcomes));
  const isWhole = (id: string) => whole.has(id);
  const { problems } = reconcile(
    outcomes.filter(({ request }) => isWhole(request.id)),
    rows.filter(({ requestId }) => isWhole(requestId)),
    events.filter(({ request_id }) => isWhole(request_id)),
    models,
    mayBeAnsweredTwice,
  );
  const counts = new Map<string, number>();
  for (const { request_id: id } of events) counts.set(id, (counts.get(id) ?? 0) + 1);
  const booked = new Set(rows.map(({ requestId }) => requestId).filter((id) => !isWhole(id)));
  const uncounted = [...booked].filter((id) => counts.get(id) !== 1);
  return [...problems, ...uncounted.map((id) => `${id} failed and has ${counts.get(id) ?? 0} usage events`)];
}
