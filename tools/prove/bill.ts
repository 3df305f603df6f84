import { nanoUsdFromDecimal } from '@tollgate/contracts';
import type { CatalogModel, PriceSheet } from '@tollgate/contracts';
import { z } from 'zod';
import type { LedgerRow } from './simulated-provider';

/** What one model was used for: by the provider's books, or by the gateway's report. */
export interface Account {
  model: string;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  costNanoUsd: bigint;
}

const report = z.object({
  by_model: z.array(
    z.object({
      model: z.string(),
      requests: z.number().int(),
      input_tokens: z.number().int(),
      output_tokens: z.number().int(),
      cost_usd: z.number(),
    }),
  ),
});

/** What GET /api/metrics says of a key, sorted by model. */
export async function billOf(baseUrl: string, apiKey: string): Promise<Account[]> {
  const response = await fetch(`${baseUrl}/api/metrics?period=hour`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (!response.ok) throw new Error(`/api/metrics answered ${response.status}: ${await response.text()}`);
  const { by_model } = report.parse(await response.json());
  return by_model.map(({ model, requests, input_tokens, output_tokens, cost_usd }) => ({
    model,
    requests,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    // A double holds sums below nine million dollars to the nano-dollar.
    costNanoUsd: BigInt(Math.round(cost_usd * 1e9)),
  }));
}

/**
 * What the provider's books come to, for the same models at the catalog's prices. A request counts once and is charged for its last try:
 * a try that failed before it is ours to bear, not the caller's.
 */
export function expectedBill(rows: readonly LedgerRow[], models: readonly CatalogModel[]): Account[] {
  return models.flatMap((model) => {
    const upstream = model.deployments[0]?.upstreamModel;
    const lastTries = new Map(rows.filter((row) => row.model === upstream).map((row) => [row.requestId, row]));
    if (lastTries.size === 0) return [];
    const sum = (field: 'inputTokens' | 'outputTokens') =>
      [...lastTries.values()].reduce((total, row) => total + row[field], 0);
    const [inputTokens, outputTokens] = [sum('inputTokens'), sum('outputTokens')];
    const costNanoUsd = cost(model.prices, inputTokens, outputTokens);
    return { model: model.id, requests: lastTries.size, inputTokens, outputTokens, costNanoUsd };
  });
}

/** Exact, because the drill takes models only whose price per token is a whole number of nano-dollars (see `hasWholePrices`). */
function cost(prices: PriceSheet | null, inputTokens: number, outputTokens: number): bigint {
  if (!prices) return 0n;
  const perMillion = (rate: string, tokens: number) => (nanoUsdFromDecimal(rate) * BigInt(tokens)) / 1_000_000n;
  return perMillion(prices.input, inputTokens) + perMillion(prices.output, outputTokens);
}

/** True when a token costs a whole number of nano-dollars, so that sums need no rounding rule. */
export function hasWholePrices({ prices }: CatalogModel): boolean {
  return prices !== null && [prices.input, prices.output].every((rate) => nanoUsdFromDecimal(rate) % 1_000_000n === 0n);
}
