import type { DialectName } from '@tollgate/contracts';
import { catalogOperations } from '@tollgate/contracts/catalog';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { ledgerOperations, meteringOperations } from '@tollgate/contracts/metering';
import type { ValkeyServer } from '@tollgate/testing';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../stack/stack';
import { workspaceRoot } from '../../stack/workspace-root';
import { exchange } from '../exchange';
import type { Outcome } from '../exchange';
import { Load } from '../load';
import type { PlannedRequest } from '../planned-request';
import { SimulatedProvider } from '../simulated-provider';
import { clientSurfaces } from '../client-surface';
import { wrongBill } from './bill';
import { billedModels } from './billed-forms';
import { Chaos, seededRandom } from './chaos';
import type { Strike } from './chaos';
import { mixedRequest } from './mixed-request';
import { reconcile } from './reconcile';
import type { Reconciliation } from './reconcile';
import { settledRows } from './settled-rows';
import { storedEvents } from './stored-events';
import { auditTold, sawEveryWay } from './told-charges';
import type { ToldCharges } from './told-charges';
import { wrongBlocks } from './wrong-blocks';
import { wrongSlices } from './wrong-slices';

export interface LedgerProofOptions {
  /**
   * At least so many requests and so many strikes: a slow machine gets more of the one that it is ahead with.
   */
  requests: number;
  strikes: number;
  perSecond: number;
  /** The time between the end of one strike and the next, milliseconds. */
  calmMs: number;
  seed: number;
  onProgress: (line: string) => void;
}

export interface LedgerProof {
  seed: number;
  models: string[];
  strikes: Strike[];
  outcomes: Record<Outcome['state'], number>;
  reconciliation: Reconciliation;
  /**
   * A sentence for each answer that was silently short, or whose text is not what the same request gives in
   * calm.
   */
  wrongAnswers: string[];
  /**
   * A sentence for each sum, in the ledger and as callers are told it, whole and by session and tag, that is
   * not that of its events.
   */
  wrongSums: string[];
  told: ToldCharges;
  /** A sentence for each charge that a caller was told otherwise than the ledger has it, or than was asked. */
  wrongTold: string[];
  /**
   * Milliseconds from the end of the load until no token was reserved any more; null: some still were after
   * two minutes.
   */
  reservedUntilMs: number | null;
  /** Leases of edges that died, with tokens that no event needed: shown, not counted as wrong. */
  unsettledLeases: number;
  deadLetters: number;
  /** Messages of usage that JetStream still holds at the very end: what is missing then is late, not lost. */
  pendingEvents: number;
  holds: boolean;
}

const dialects: readonly DialectName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'bedrock-converse',
  'cohere',
];
/** What the stack of the proof must have: its load asks for a model that the catalog has not. */
export const ledgerEnvironment = { TOLLGATE_CONFIG: join(workspaceRoot, 'tools/prove/ledger/tollgate.yaml') };

const reservedTimeoutMs = 120_000;
const witnessesAtOnce = 32;
/** Large enough never to refuse, and limits all the same: every request goes through Valkey, and reserves. */
const limits = { rpm: 10_000_000, quotaTokens: 1_000_000_000_000 };

/**
 * Sends the load through all edges while processes are struck, and then compares what the callers, the
 * provider and the ledger say.
 */
export async function proveLedger(
  stack: Stack,
  valkey: ValkeyServer,
  options: LedgerProofOptions,
): Promise<LedgerProof> {
  const { requests, perSecond, seed, onProgress } = options;
  const provider = new SimulatedProvider(stack.sandboxUrl ?? '');
  const models = await oneOfEachDialect(stack);
  const billed = await standingAlone(stack, billedModels);
  const { apiKey, key } = await stack.createKey({
    name: 'ledger proof',
    plan: 'enterprise',
    tellCost: true,
    ...limits,
  });
  const run = `ledger-${Date.now().toString(36)}`;
  const load = new Load(stack.baseUrls, apiKey, perSecond);
  const chaos = new Chaos(stack, valkey, provider, load, seededRandom(seed));

  function* plan(): Generator<PlannedRequest> {
    for (let number = 0; number < requests || chaos.strikes.length < options.strikes; number++)
      yield mixedRequest(number, run, models);
  }
  let isOver = false;
  const finished = load.run(plan()).finally(() => (isOver = true));
  while (!isOver) {
    await Promise.race([delay(options.calmMs), finished]);
    if (isOver) break;
    const { victim, action, inFlight } = await chaos.strike();
    onProgress(`${action} ${victim} (${load.sent} of ${requests} requests sent, ${inFlight} under way)`);
  }
  await finished;
  const endedAt = Date.now();
  onProgress('All answers are in; waiting until everything is booked.');

  const rows = await settledRows(stack, provider, run, key.id);
  const events = await storedEvents(stack.databaseUrl, run);
  const reconciliation = reconcile(load.outcomes, rows, events, [...models, ...billed]);
  const { told, problems: wrongTold } = auditTold(load.outcomes, events, true);
  const wrongSums = [
    ...(await wrongRollups(stack, key.id)),
    ...(await wrongBill(stack.baseUrl, apiKey, events)),
    ...(await wrongSlices(stack, apiKey, key.id)),
    ...(await wrongBlocks(stack.databaseUrl)),
  ];
  const [reservedUntilMs, wrongAnswers] = await Promise.all([
    untilNothingIsReserved(stack, endedAt),
    auditAnswers(stack, load.outcomes),
  ]);
  const { deadLetters, pendingEvents } = await stack.call(meteringOperations.status, {});
  const { count: unsettledLeases } = await stack.call(ledgerOperations.sweep, {});
  const problems = [...reconciliation.problems, ...wrongAnswers, ...wrongSums, ...wrongTold];
  const seen = [...Object.values(reconciliation.invoiced), reconciliation.unpriced];
  const sawEveryForm = seen.every((events) => events > 0) && sawEveryWay(told);
  return {
    seed,
    models: [...models, ...billed].map(({ id }) => id),
    strikes: chaos.strikes,
    outcomes: countStates(load.outcomes),
    reconciliation,
    wrongAnswers,
    wrongSums,
    told,
    wrongTold,
    reservedUntilMs,
    unsettledLeases,
    deadLetters,
    pendingEvents,
    holds: problems.length === 0 && deadLetters === 0 && reservedUntilMs !== null && sawEveryForm,
  };
}

/**
 * A model of each dialect that one simulated provider answers for, without a fallback that would blur who
 * answered.
 */
export async function oneOfEachDialect(stack: Stack): Promise<CatalogModel[]> {
  const { available, models, providers } = await stack.call(catalogOperations.snapshot, {});
  return dialects.map((dialect) => {
    const speakers = new Set(
      providers.filter((one) => one.dialect === dialect || one.alsoSpeaks.includes(dialect)).map(({ id }) => id),
    );
    const model = models.find(
      ({ id, kind, provider, prices, deployments, fallbacks }) =>
        available.includes(id) &&
        kind === 'generation' &&
        prices !== null &&
        speakers.has(provider) &&
        deployments.length === 1 &&
        fallbacks.length === 0,
    );
    if (!model) throw new Error(`The catalog has no model that stands alone at a provider of the dialect ${dialect}.`);
    return model;
  });
}

/** The models that billed forms ask for, each with one deployment and no fallback. */
async function standingAlone(stack: Stack, ids: readonly string[]): Promise<CatalogModel[]> {
  const { models } = await stack.call(catalogOperations.snapshot, {});
  return ids.map((id) => {
    const model = models.find((one) => one.id === id);
    if (model?.deployments.length === 1 && model.fallbacks.length === 0) return model;
    throw new Error(`The catalog has no ${id} that stands alone.`);
  });
}

/** A sentence for each sum of the ledger that is not that of its events. */
async function wrongRollups(stack: Stack, keyId: string): Promise<string[]> {
  const { differences } = await stack.call(meteringOperations.recount, { keyId });
  return differences.map(
    ({ model, field, events, rollups }) => `${model} ${field}: the events say ${events}, the sum ${rollups}`,
  );
}

async function untilNothingIsReserved(stack: Stack, endedAt: number): Promise<number | null> {
  for (;;) {
    // A database that has much to do may not answer in time; it is asked again.
    const status = await stack.call(meteringOperations.status, {}).catch(() => null);
    const passedMs = Date.now() - endedAt;
    if (status?.reservedTokens === 0) return passedMs;
    if (passedMs > reservedTimeoutMs) return null;
    await delay(500);
  }
}

/**
 * Every whole answer must have the text that the same request gets now that all is calm, with a key of its
 * own that is in no sum that is compared.
 */
async function auditAnswers(stack: Stack, outcomes: readonly Outcome[]): Promise<string[]> {
  const { apiKey } = await stack.createKey({ name: 'witnesses', plan: 'enterprise', ...limits });
  const witnesses = new Map<string, Outcome>();
  // Of one iterator, all lanes take the next.
  const questions = new Map(outcomes.filter(isRead).map((outcome) => [questionOf(outcome), outcome.request])).entries();
  const lane = async (): Promise<void> => {
    for (const [question, request] of questions) {
      const url = stack.baseUrl + clientSurfaces[request.surface].path;
      witnesses.set(question, await askedInCalm(url, apiKey, { ...request, id: `witness-${request.id}` }));
    }
  };
  await Promise.all(Array.from({ length: witnessesAtOnce }, lane));
  return outcomes.flatMap((outcome) => {
    const { request, state, content, reason } = outcome;
    if (state === 'silent') return [`${request.id} (${request.surface} to ${request.model}): ${reason}`];
    if (!isRead(outcome)) return [];
    if (request.kind === 'fault') return [`${request.id}: the provider failed, and the answer looks whole`];
    const witness = witnesses.get(questionOf(outcome));
    if (witness?.state === 'complete' && witness.content === content && content.length > 0) return [];
    const { state: end, reason: why, content: whole } = witness ?? {};
    return [`${request.id} (${request.surface} to ${request.model}): ${JSON.stringify({ content, end, why, whole })}`];
  });
}

/** A connection that was idle since the load may be closed just as it is used: then it is asked again. */
async function askedInCalm(url: string, apiKey: string, request: PlannedRequest): Promise<Outcome> {
  const outcome = await exchange(url, apiKey, request);
  return outcome.reason.startsWith('connection: ') ? exchange(url, apiKey, request) : outcome;
}

function isRead({ state }: Outcome): boolean {
  return state === 'complete';
}

function questionOf({ request }: Outcome): string {
  const { surface, model, prompt, stream, beside } = request;
  return JSON.stringify([surface, model, prompt, stream, beside?.members]);
}

function countStates(outcomes: readonly Outcome[]): Record<Outcome['state'], number> {
  const counts = { complete: 0, failed: 0, left: 0, silent: 0 };
  for (const { state } of outcomes) counts[state]++;
  return counts;
}
