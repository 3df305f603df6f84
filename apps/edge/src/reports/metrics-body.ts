import type { MetricsPeriod, MetricsReport } from '@tollgate/contracts';
import { decimalFromNanoUsd } from '@tollgate/contracts';

type Counters = MetricsReport['totals'];

/** The report as JSON text. Costs are written as exact decimals: a JavaScript number would round nano-dollars once sums are large. */
export function metricsBody(period: MetricsPeriod, report: MetricsReport): string {
  const start = new Date(report.startAt).toISOString();
  const end = new Date(report.endAt).toISOString();
  const byModel = report.byModel.map((entry) => `{"model":${JSON.stringify(entry.model)},${counters(entry)}}`);
  return (
    `{"period":${JSON.stringify(period)},"start":${JSON.stringify(start)},"end":${JSON.stringify(end)},` +
    `"totals":{${counters(report.totals)}},"by_model":[${byModel.join(',')}]}`
  );
}

function counters({ requests, unpricedRequests, inputTokens, outputTokens, costNanoUsd }: Counters): string {
  return (
    `"requests":${requests},"unpriced_requests":${unpricedRequests},"input_tokens":${inputTokens},"output_tokens":${outputTokens},` +
    `"total_tokens":${inputTokens + outputTokens},"cost_usd":${decimalFromNanoUsd(BigInt(costNanoUsd))}`
  );
}
