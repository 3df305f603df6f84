import type { MetricsPeriod, MetricsReport, SliceDimension, SlicedReport } from '@tollgate/contracts';
import { decimalFromNanoUsd, slicesAndRest } from '@tollgate/contracts';

/**
 * What is known of where the prices of a model are from. `day`: YYYY-MM-DD; null: not known, or the operator
 * set them. `unconfirmed`: sources disagree on them.
 */
export interface PriceStanding {
  day: string | null;
  old: boolean;
  unconfirmed: boolean;
}

type Counters = MetricsReport['totals'];

/**
 * The report as JSON text. Costs are written as exact decimals: a JavaScript number would round nano-dollars
 * once sums are large. `pricesOf`: whether the prices of a model can be trusted; null: of one that the
 * catalog does not have. `dividedBy`: what it is divided by; undefined: it is of one slice, or whole.
 */
export function metricsBody(
  period: MetricsPeriod,
  report: MetricsReport,
  pricesOf: (model: string) => PriceStanding | null,
  dividedBy?: SliceDimension,
): string {
  const start = new Date(report.startAt).toISOString();
  const end = new Date(report.endAt).toISOString();
  const byModel = report.byModel.map(
    (entry) => `{"model":${JSON.stringify(entry.model)},${counters(entry)}${standing(pricesOf(entry.model))}}`,
  );
  return (
    `{"period":${JSON.stringify(period)},"start":${JSON.stringify(start)},"end":${JSON.stringify(end)},` +
    `"totals":{${counters(report.totals)}},"by_model":[${byModel.join(',')}]${report.sliced ? slicesOf(report.sliced, dividedBy) : ''}}`
  );
}

function slicesOf(report: SlicedReport, dividedBy: SliceDimension | undefined): string {
  const { other } = report;
  if (dividedBy === undefined) return other.requests > 0 ? `,"not_told_apart":{${counters(other)}}` : '';
  const entries = slicesAndRest(report).map(
    (slice) => `{"${dividedBy}":${JSON.stringify(slice.name)},${counters(slice)}}`,
  );
  return `,"by_${dividedBy}":[${entries.join(',')}]`;
}

function standing(prices: PriceStanding | null): string {
  if (!prices) return '';
  const age = prices.day === null ? '' : `,"prices_as_of":${JSON.stringify(prices.day)},"prices_old":${prices.old}`;
  return `${age},"prices_unconfirmed":${prices.unconfirmed}`;
}

function counters({ requests, unpricedRequests, inputTokens, outputTokens, costNanoUsd }: Counters): string {
  return (
    `"requests":${requests},"unpriced_requests":${unpricedRequests},"input_tokens":${inputTokens},"output_tokens":${outputTokens},` +
    `"total_tokens":${inputTokens + outputTokens},"cost_usd":${decimalFromNanoUsd(BigInt(costNanoUsd))}`
  );
}
