import { accountsOperations } from '@tollgate/contracts/accounts';
import { catalogOperations } from '@tollgate/contracts/catalog';
import { ledgerOperations, meteringOperations } from '@tollgate/contracts/metering';
import { eventually } from '@tollgate/testing';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { ServiceName } from '../../stack/service-plan';
import type { Stack } from '../../stack/stack';
import { Balancer } from '../balancer';
import { audit } from '../cluster/prove-cluster';
import { failures } from '../exchange';
import type { Outcome } from '../exchange';
import { makeFirstAdministrator } from '../first-administrator';
import { settledRows } from '../ledger/settled-rows';
import { storedEvents } from '../ledger/stored-events';
import { Load } from '../load';
import type { Say } from '../proof';
import { SimulatedProvider } from '../simulated-provider';
import type { PlannedRequest } from '../planned-request';
import { steadyRequest } from '../steady-request';
import { backUp, restore } from './backup';

/**
 * Those that keep records first, then inference, then edge, as docs/operate.md says; back in the opposite
 * order.
 */
const records: readonly ServiceName[] = ['metering', 'catalog', 'accounts'];
const order: readonly ServiceName[] = [...records, 'inference', 'edge'];
export const instances = { edge: 2, inference: 2, metering: 2, accounts: 2, catalog: 2 };
const unlimited = { plan: 'enterprise', rpm: 10_000_000, quotaTokens: null };
/** What this release can say of a key beyond others; none of it is reached. */
const newest = { tpm: 1_000_000_000, modelLimits: [{ model: 'openai/*', rpm: 1_000_000, tpm: 1_000_000_000 }] };
/** Of so many requests one stream and one plain one are larger than a message of NATS. */
const largeEvery = 30;
const largeText = 'It was a dark and stormy night. '.repeat(40_000);
/** Longer than a stream, so that each step meets some in their middle. */
const calmMs = 4_000;

type Page = z.output<typeof ledgerOperations.replayUsage.reply>;

export interface UpgradeOptions {
  /** Has the next starts of a service run the release that is named. */
  turn: (service: ServiceName, to: 'former' | 'present') => void;
  perSecond: number;
  say: Say;
}

/**
 * Brings every instance from the former release to the present one and back under load. Returns whether
 * nothing failed, the ledger is that of the provider, and after each service keys and sessions of before are
 * good, a new key works and a revoked one does not. On the way back the key has limits that the former
 * release does not know. In the end the backup that the former release left takes the place of the database:
 * under the former release, and then under the present one, usage that came since is played again from what
 * JetStream keeps.
 */
export async function proveUpgrade(stack: Stack, { turn, perSecond, say }: UpgradeOptions): Promise<boolean> {
  const provider = new SimulatedProvider(stack.sandboxUrl ?? '');
  const { apiKey, key } = await stack.createKey({ name: 'upgrade', ...unlimited });
  const { session } = await makeFirstAdministrator(stack.baseUrl, stack.bootstrapSecret);
  const startedAt = Date.now();
  const run = `upgrade-${startedAt.toString(36)}`;
  const balancer = new Balancer(stack.baseUrls);
  const load = new Load(balancer, apiKey, perSecond);
  const end = new AbortController();
  const problems: string[] = [];
  balancer.start();
  const finished = load.run(requests(run, end.signal));
  try {
    await delay(calmMs);
    await load.holdDuring(() => backUp(stack));
    for (const to of ['present', 'former'] as const) {
      for (const service of to === 'present' ? order : order.toReversed()) {
        turn(service, to);
        for (const name of namesOf(service)) await step(stack, name, to, load, say);
        problems.push(...(await whatIsLost(stack, session, `with ${service} of the ${to} release`)));
      }
      if (to === 'present') await stack.call(accountsOperations.updateKey, { keyId: key.id, ...newest });
    }
  } finally {
    end.abort();
    await finished;
    balancer.stop();
  }
  problems.push(...failures(load.outcomes));
  const ledger = async (when: string) => {
    say(`${when}: waiting until everything is booked.`);
    const found = await ledgerProblems(stack, provider, { run, keyId: key.id, outcomes: load.outcomes });
    problems.push(...found.map((problem) => `${when}: ${problem}`));
  };
  await ledger('all answers are in');
  await restore(stack);
  problems.push(...(await playAgain(stack, run, startedAt)));
  await ledger('restored');
  problems.push(...(await whatIsLost(stack, session, 'with the backup restored')));
  for (const service of records) {
    turn(service, 'present');
    for (const name of namesOf(service)) await stack.process(name).restart();
  }
  problems.push(...(await whatIsLost(stack, session, 'with the backup restored and migrated')));
  await ledger('restored, and migrated');
  const streams = load.outcomes.filter(({ request }) => request.stream).length;
  say(`${load.outcomes.length} requests, ${streams} of them streams; ${problems.length} problems`);
  for (const problem of problems.slice(0, 20)) say(`  ${problem}`);
  return problems.length === 0 && load.outcomes.length > 0;
}

/** What differs between the books of the provider, the events of a run, and the sums of its key. */
async function ledgerProblems(
  stack: Stack,
  provider: SimulatedProvider,
  { run, keyId, outcomes }: { run: string; keyId: string; outcomes: readonly Outcome[] },
): Promise<string[]> {
  const rows = await settledRows(stack, provider, run, keyId);
  const { models } = await stack.call(catalogOperations.snapshot, {});
  const { differences } = await stack.call(meteringOperations.recount, { keyId });
  return [
    ...audit(outcomes, rows, await storedEvents(stack.databaseUrl, run), models),
    ...differences.map(({ field, events, rollups }) => `${field}: ${rollups} in the reports, ${events} in the events`),
  ];
}

/** Stores again what JetStream keeps since then; a backup that lacks nothing, or all, shows nothing. */
async function playAgain(stack: Stack, run: string, sinceMs: number): Promise<string[]> {
  const inBackup = (await storedEvents(stack.databaseUrl, run)).length;
  const found: string[] = [];
  let stored = 0;
  let from: number | null = null;
  do {
    const page: Page = await stack.call(ledgerOperations.replayUsage, { sinceMs, from });
    found.push(...page.problems);
    stored += page.stored;
    from = page.next;
  } while (from !== null);
  return inBackup > 0 && stored > 0 ? found : [...found, `the backup had ${inBackup} events, ${stored} came again`];
}

function namesOf(service: ServiceName): string[] {
  const count = service === 'sandbox' ? 0 : instances[service];
  return Array.from({ length: count }, (_, index) => (index === 0 ? service : `${service}-${index + 1}`));
}

async function step(stack: Stack, name: string, to: string, load: Load, say: Say): Promise<void> {
  await delay(calmMs);
  const startedAt = Date.now();
  await stack.process(name).restart();
  const failed = failures(load.outcomes);
  const took = ((Date.now() - startedAt) / 1_000).toFixed(1);
  say(
    `${name} to the ${to} release in ${took} s: ${failed.length} of ${load.outcomes.length} failed ${failed.at(-1) ?? ''}`,
  );
}

/** Whether who signed in before is still signed in, a new key works, and does not when it is revoked. */
async function whatIsLost(stack: Stack, cookie: string, when: string): Promise<string[]> {
  const problems: string[] = [];
  const { apiKey, key } = await stack.createKey({ name: when.slice(0, 100), ...unlimited });
  const ask = async (url: string): Promise<number> => {
    const models = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
    await models.text();
    return models.status;
  };
  for (const url of stack.baseUrls) {
    const me = await fetch(`${url}/api/auth/me`, { headers: { cookie } });
    const text = await me.text();
    if (!me.ok || !text.includes('operator@example.com'))
      problems.push(`${when} ${url} knows the session no more: ${text}`);
    const status = await ask(url);
    if (status !== 200) problems.push(`${when} ${url} refuses a new key: ${status}`);
  }
  await stack.call(accountsOperations.revokeKey, { keyId: key.id });
  for (const url of stack.baseUrls)
    await eventually(
      () => ask(url),
      (status) => status === 401,
    ).catch(() => problems.push(`${when} ${url} takes a revoked key`));
  return problems;
}

/** A steady load, with large requests among the small ones. */
function* requests(run: string, end: AbortSignal): Generator<PlannedRequest> {
  for (let number = 0; !end.aborted; number++) {
    const request = steadyRequest(number, run);
    yield number % largeEvery < 2 ? { ...request, prompt: `${largeText} ${request.prompt}` } : request;
  }
}
