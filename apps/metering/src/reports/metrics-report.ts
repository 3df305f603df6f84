import type { meteringOperations, MetricsReport } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import type { z } from 'zod';
import { reportWindow } from './report-window';

/** What a report is asked for: see `meteringOperations.metrics`. */
export type MetricsQuestion = Pick<
  z.output<typeof meteringOperations.metrics.request>,
  'keyId' | 'period' | 'calendar' | 'model'
>;

/** Sums as Postgres gives them. `cost`: a decimal string. */
export interface CounterRow {
  requests: bigint;
  unpriced: bigint;
  input: bigint;
  output: bigint;
  cost: string;
}

/**
 * Requests, tokens and cost of a key in the period before `endAt` (epoch milliseconds), to the millisecond:
 * an event counts when it ENDED within [startAt, endAt). Answers from the response cache are left out, as no
 * provider was asked. One statement, so that all of it is of one moment. `model` absent: every model.
 */
export async function metricsReport(
  database: Queries<'metering'>,
  { keyId, period, calendar, model }: MetricsQuestion,
  endAt: number,
): Promise<MetricsReport> {
  const window = reportWindow(period, endAt, calendar);
  const at = (time: number) => Prisma.sql`${new Date(time)}::timestamptz`;
  const ofModel = model === undefined ? Prisma.empty : Prisma.sql`AND model = ${model}`;
  const rollup = Prisma.sql`model, requests - cached_requests AS requests, unpriced, input_tokens, output_tokens, cost_nano_usd`;
  const rows = await database.$queryRaw<(CounterRow & { model: string })[]>`
    WITH part AS (
      SELECT model, 1 AS requests, (cost_nano_usd IS NULL)::int AS unpriced, input_tokens, output_tokens, cost_nano_usd
      FROM usage_event WHERE key_id = ${keyId} AND NOT cached ${ofModel} AND (
        ended_at >= ${at(window.start)} AND ended_at < ${at(window.firstMinute)}
        OR ended_at >= ${at(window.lastMinute)} AND ended_at < ${at(window.end)})
      UNION ALL
      SELECT ${rollup} FROM usage_minute WHERE key_id = ${keyId} ${ofModel} AND (
        at >= ${at(window.firstMinute)} AND at < ${at(window.firstHour)}
        OR at >= ${at(window.lastHour)} AND at < ${at(window.lastMinute)})
      UNION ALL
      SELECT ${rollup} FROM usage_hour WHERE key_id = ${keyId} ${ofModel}
        AND at >= ${at(window.firstHour)} AND at < ${at(window.lastHour)}
    )
    SELECT model, sum(requests)::bigint AS requests, sum(unpriced)::bigint AS unpriced, sum(input_tokens)::bigint AS input,
      sum(output_tokens)::bigint AS output, coalesce(sum(cost_nano_usd), 0)::text AS cost
    FROM part WHERE requests > 0 GROUP BY model ORDER BY coalesce(sum(cost_nano_usd), 0) DESC, model COLLATE "C"`;
  return {
    startAt: window.start,
    endAt,
    totals: toCounters(rows),
    byModel: rows.map((row) => ({ model: row.model, ...toCounters([row]) })),
  };
}

/** Adds up rows as the contract has them. */
export function toCounters(rows: readonly CounterRow[]): MetricsReport['totals'] {
  const sum = (value: (row: CounterRow) => bigint) => rows.reduce((total, row) => total + value(row), 0n);
  return {
    requests: Number(sum((row) => row.requests)),
    unpricedRequests: Number(sum((row) => row.unpriced)),
    inputTokens: Number(sum((row) => row.input)),
    outputTokens: Number(sum((row) => row.output)),
    costNanoUsd: sum((row) => BigInt(row.cost)).toString(),
  };
}
