import { setTimeout as delay } from 'node:timers/promises';
import { notBilledOnce } from '../billed';
import type { Site } from '../chaos/site';
import { answeredWhole } from '../exchange';
import type { Outcome } from '../exchange';
import { Load } from '../load';
import { steadyRequests } from '../steady-request';
import { makeKnownKey } from './known-key';

export interface NatsOutageOptions {
  perSecond: number;
  /** How often NATS is killed. */
  kills: number;
  /** How long it stays away each time, milliseconds. */
  awayMs: number;
  /**
   * Before, between and after kills, milliseconds: longer than a recovery may take, and time for streams to
   * be under way.
   */
  calmMs: number;
  /**
   * New requests must be good within five seconds of its return, multiplied by this: 1 on a machine that does
   * nothing else.
   */
  patience: number;
  onProgress: (line: string) => void;
}

/** What one kill of NATS did to those who were asking. */
interface NatsKill {
  /** Requests that were under way when it was killed, and how they ended. */
  underWay: Record<Outcome['state'], number>;
  /** Requests that were sent and refused until all was well again. */
  refused: number;
  /** The longest that one of these waited for its refusal. */
  slowestRefusalMs: number;
  /** From NATS's return until the last request was sent that failed; 0: every one since was good. */
  goodAfterMs: number;
}

export interface NatsOutage {
  requests: number;
  kills: NatsKill[];
  /** Processes of the stack that ended and were started again; there must be none. */
  restarted: string[];
  /**
   * A sentence for each answer that was silently short, and each whole one that is not billed exactly once.
   */
  problems: string[];
  holds: boolean;
}

/** New requests are good within this time of NATS's return. */
const goodWithinMs = 5_000;
const billedTimeoutMs = 60_000;

/**
 * Kills NATS under load, again and again: what is under way fails visibly, and new requests are soon good
 * without a restart of any service.
 */
export async function proveNatsOutage(
  site: Site,
  { perSecond, kills, awayMs, calmMs, patience, onProgress }: NatsOutageOptions,
): Promise<NatsOutage> {
  const { stack, nats } = site;
  const apiKey = await makeKnownKey(stack, 'nats outage');
  const run = `nats-outage-${Date.now().toString(36)}`;
  const load = new Load(stack.baseUrls, apiKey, perSecond);
  const before = processIds(site);
  const end = new AbortController();
  const finished = load.run(steadyRequests(run, end.signal));
  const times: { goneAt: number; backAt: number }[] = [];
  for (let count = 1; count <= kills; count++) {
    await delay(calmMs);
    const goneAt = Date.now();
    await nats.kill();
    await delay(awayMs);
    await nats.start();
    times.push({ goneAt, backAt: Date.now() });
    onProgress(`NATS was killed ${count} times; ${load.outcomes.length} answers`);
  }
  await delay(calmMs);
  end.abort();
  await finished;

  const { outcomes } = load;
  const all = times.map(({ goneAt, backAt }, index) => {
    return killOf(outcomes, goneAt, backAt, times[index + 1]?.goneAt ?? Infinity);
  });
  const unbilled = await notBilledOnce(stack.databaseUrl, run, answeredWhole(outcomes), billedTimeoutMs);
  const problems = [...silent(outcomes), ...unbilled];
  const restarted = [...processIds(site)].filter(([name, pid]) => before.get(name) !== pid).map(([name]) => name);
  const isGood = ({ underWay, goodAfterMs }: NatsKill) =>
    goodAfterMs < goodWithinMs * patience && underWay.failed + underWay.complete > 0;
  return {
    requests: outcomes.length,
    kills: all,
    restarted,
    problems,
    holds: problems.length === 0 && restarted.length === 0 && all.length === kills && all.every(isGood),
  };
}

function processIds({ stack }: Site): Map<string, number | null> {
  return new Map([...stack.processes].map(([name, { pid }]) => [name, pid]));
}

function killOf(outcomes: readonly Outcome[], goneAt: number, backAt: number, nextAt: number): NatsKill {
  const underWay = { complete: 0, failed: 0, left: 0, silent: 0 };
  for (const { sentAt, endedAt, state } of outcomes) if (sentAt < goneAt && endedAt >= goneAt) underWay[state]++;
  // Those that the next kill cut off are its own.
  const refused = outcomes.filter(
    ({ sentAt, endedAt, state }) => sentAt >= goneAt && endedAt < nextAt && state !== 'complete',
  );
  return {
    underWay,
    refused: refused.length,
    slowestRefusalMs: Math.max(0, ...refused.map(({ sentAt, endedAt }) => endedAt - sentAt)),
    goodAfterMs: Math.max(0, ...refused.map(({ sentAt }) => sentAt - backAt)),
  };
}

function silent(outcomes: readonly Outcome[]): string[] {
  return outcomes
    .filter(({ state }) => state === 'silent')
    .map(({ request, reason }) => `${request.id} (${request.surface}, ${request.kind}): ${reason}`);
}
