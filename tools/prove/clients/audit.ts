import type { CatalogModel } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';
import { settledRows } from '../ledger/settled-rows';
import { storedEvents } from '../ledger/stored-events';
import { bookedWrong } from '../models/booked-wrong';
import { SimulatedProvider } from '../simulated-provider';
import type { Usage } from './client';
import { isGeneration } from './door';
import type { Visit } from './door';
import { isNear } from './play-cell';

/** A key of the gateway, and what a run of requests with it began with. */
interface Account {
  apiKey: string;
  keyId: string;
}

/** What was wrong with sums: of one request by its id, and of all. */
export interface Audit {
  ofRequests: string[];
  ofAll: string[];
  /** Input and output tokens of each request in the ledger. */
  tokens: ReadonlyMap<string, Usage>;
}

const usageBody = z.object({ used: z.number() });
const metricsBody = z.object({ totals: z.object({ total_tokens: z.number(), cost_usd: z.number() }) });

/**
 * Compares what the provider booked, what the ledger holds, what the prices say and what `/v1/usage` and
 * `/api/metrics` tell of all requests of a key, whose ids begin with `run`.
 */
export async function audit(
  stack: Stack,
  run: string,
  account: Account,
  visits: readonly Visit[],
  models: readonly CatalogModel[],
): Promise<Audit> {
  const asked = new Map<string, CatalogModel>();
  for (const visit of visits) {
    const model = models.find(({ id }) => id === visit.model);
    if (model && isGeneration(visit) && visit.status < 400 && visit.status > 0) asked.set(visit.id, model);
  }
  const rows = await settledRows(stack, new SimulatedProvider(stack.sandboxUrl ?? ''), run, account.keyId);
  const events = await storedEvents(stack.databaseUrl, run);
  // Of an answer that was cancelled most providers tell no usage.
  for (const { request_id: id, estimated, input_tokens, output_tokens } of events) {
    const row = rows.find(({ requestId }) => requestId === id);
    const isAsBooked = row && isNear(input_tokens, row.inputTokens) && isNear(output_tokens, row.outputTokens);
    if (estimated && isAsBooked) asked.delete(id);
  }
  const ofRequests = await bookedWrong(stack.databaseUrl, run, rows, asked);
  const sum = events.reduce((total, event) => total + event.input_tokens + event.output_tokens, 0);
  const costUsd = Number(events.reduce((total, event) => total + (event.cost_nano_usd ?? 0n), 0n)) / 1e9;
  const { used } = usageBody.parse(await get(stack, account, '/v1/usage'));
  const { totals } = metricsBody.parse(await get(stack, account, '/api/metrics?period=day'));
  return {
    ofRequests,
    ofAll: [
      ...(used === sum ? [] : [`/v1/usage tells ${used} tokens, the ledger ${sum}`]),
      ...(totals.total_tokens === sum ? [] : [`/api/metrics tells ${totals.total_tokens} tokens, the ledger ${sum}`]),
      ...(totals.cost_usd === costUsd ? [] : [`/api/metrics tells $${totals.cost_usd}, the ledger $${costUsd}`]),
    ],
    tokens: new Map(
      events.map((event) => [event.request_id, { input: event.input_tokens, output: event.output_tokens }]),
    ),
  };
}

async function get(stack: Stack, { apiKey }: Account, path: string): Promise<unknown> {
  const response = await fetch(stack.baseUrl + path, { headers: { authorization: `Bearer ${apiKey}` } });
  return response.json();
}
