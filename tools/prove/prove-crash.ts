import { catalogOperations } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../stack/stack';
import { billOf, expectedBill, hasWholePrices } from './bill';
import type { Account } from './bill';
import { differences } from './differences';
import { killUnderLoad, victims } from './drill';
import type { DrillReport } from './drill';
import { Load } from './load';
import { planRequest } from './planned-request';
import { SimulatedProvider } from './simulated-provider';
import type { LedgerRow } from './simulated-provider';
import { StreamAudit } from './stream-audit';
import type { AuditReport } from './stream-audit';

export interface CrashProof {
  drills: DrillReport[];
  streams: AuditReport;
  /** By model: what the provider booked, and what the gateway says. */
  expected: Account[];
  billed: Account[];
  /** A sentence for each request whose event is not what the provider booked. */
  differences: string[];
  /** True when every kill met running requests, not one answer was silently short, and both accounts are equal. */
  holds: boolean;
}

export interface CrashProofOptions {
  requests: number;
  perSecond: number;
  onProgress: (line: string) => void;
}

const modelCount = 3;
/** A usage event waits for JetStream's redelivery at worst, after its consumer was killed. */
const settleTimeoutMs = 120_000;

/** Sends the load, kills every part in the middle of it, and compares three witnesses: the caller, the provider's books, and the bill. */
export async function proveCrash(stack: Stack, options: CrashProofOptions): Promise<CrashProof> {
  const { requests, perSecond, onProgress } = options;
  const provider = new SimulatedProvider(stack.sandboxUrl ?? '');
  const models = (await liveModels(stack)).slice(0, modelCount);
  const { apiKey } = await stack.createKey({ name: 'crash drill', plan: 'enterprise', rpm: null, quotaTokens: null });
  const run = `drill-${Date.now().toString(36)}`;
  const plan = Array.from({ length: requests }, (_, number) =>
    planRequest(
      number,
      run,
      models.map(({ id }) => id),
    ),
  );
  const load = new Load(stack.baseUrls, apiKey, perSecond);

  const finished = load.run(plan);
  const drills: DrillReport[] = [];
  for (const [index, victim] of victims.entries()) {
    while (load.sent < (requests * (index + 1)) / (victims.length + 1)) await delay(20);
    onProgress(`kill -9 ${victim} (${load.sent} requests sent, ${load.inFlight} under way)`);
    drills.push(await killUnderLoad(stack, load, provider, victim));
  }
  await finished;
  onProgress('All answers are in; waiting until everything is booked.');

  const streams = await new StreamAudit(provider, models).audit(load.outcomes);
  const { expected, billed } = await settled(stack, provider, run, apiKey, models);
  const wasMet = drills.every(({ inFlight }) => inFlight > 0);
  const rows = await provider.ledger();
  const wrong = await differences(stack.databaseUrl, run, rows.filter(isOf(run)), load.outcomes);
  const holds = wasMet && streams.violations.length === 0 && isSame(expected, billed);
  return { drills, streams, expected, billed, differences: wrong, holds };
}

/** Models that one simulated provider answers for, without a fallback that would blur who answered. */
async function liveModels(stack: Stack): Promise<CatalogModel[]> {
  const { available, models, providers } = await stack.call(catalogOperations.snapshot, {});
  const chat = new Set(providers.filter(({ dialect }) => dialect === 'openai-chat').map(({ id }) => id));
  const answersAlone = ({ fallbacks, deployments }: CatalogModel) => fallbacks.length === 0 && deployments.length === 1;
  return models.filter(
    (model) => available.includes(model.id) && chat.has(model.provider) && answersAlone(model) && hasWholePrices(model),
  );
}

/** Both accounts, once they are equal or nothing has changed for the whole patience. */
async function settled(
  stack: Stack,
  provider: SimulatedProvider,
  run: string,
  apiKey: string,
  models: CatalogModel[],
): Promise<{ expected: Account[]; billed: Account[] }> {
  const deadline = Date.now() + settleTimeoutMs;
  for (;;) {
    const rows = (await provider.ledger()).filter(isOf(run));
    const expected = expectedBill(rows, models).sort(byModel);
    const billed = (await billOf(stack.baseUrl, apiKey)).sort(byModel);
    const isOver = rows.every(({ state }) => state !== 'open');
    if ((isOver && isSame(expected, billed)) || Date.now() > deadline) return { expected, billed };
    await delay(500);
  }
}

function isOf(run: string): (row: LedgerRow) => boolean {
  return ({ requestId }) => requestId.startsWith(`${run}-`);
}

function byModel(a: Account, b: Account): number {
  return a.model < b.model ? -1 : 1;
}

function isSame(expected: readonly Account[], billed: readonly Account[]): boolean {
  const text = (accounts: readonly Account[]) =>
    JSON.stringify(accounts, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return expected.length > 0 && text(expected) === text(billed);
}
