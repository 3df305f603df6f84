import type { MetricsPeriod, MetricsReport } from '@tollgate/contracts';
import { decimalFromNanoUsd } from '@tollgate/contracts';

/** `day`: YYYY-MM-DD. */
export interface PriceAge {
  day: string;
  old: boolean;
}

type Counters = MetricsReport['totals'];

/**
 * The report as JSON text. Costs are written as exact decimals: a JavaScript number would round nano-dollars once sums are large. `pricesOf`: when the prices of a model were taken from their source, and whether that is too long ago to trust them; null: not known, or the operator set them.
 */
export function metricsBody(
  period: MetricsPeriod,
  report: MetricsReport,
  pricesOf: (model: string) => PriceAge | null,
): string {
  const start = new Date(report.startAt).toISOString();
  const end = new Date(report.endAt).toISOString();
  const byModel = report.byModel.map(
    (entry) => `{"model":${JSON.stringify(entry.model)},${counters(entry)}${age(pricesOf(entry.model))}}`,
  );
  return (
    `{"period":${JSON.stringify(period)},"start":${JSON.stringify(start)},"end":${JSON.stringify(end)},` +
    `"totals":{${counters(report.totals)}},"by_model":[${byModel.join(',')}]}`
  );
}

function age(prices: PriceAge | null): string {
  return prices ? `,"prices_as_of":${JSON.stringify(prices.day)},"prices_old":${prices.old}` : '';
}

function counters({ requests, unpricedRequests, inputTokens, outputTokens, costNanoUsd }: Counters): string {
  return (
    `"requests":${requests},"unpriced_requests":${unpricedRequests},"input_tokens":${inputTokens},"output_tokens":${outputTokens},` +
    `"total_tokens":${inputTokens + outputTokens},"cost_usd":${decimalFromNanoUsd(BigInt(costNanoUsd))}`
  );
}
