import { mostStatementModels, otherModels, responseCacheProvider } from '@tollgate/contracts';
import type { Statement, StatementLine, StatementSum, statementOperations } from '@tollgate/contracts';
import type { Queries } from '@tollgate/database';
import type { z } from 'zod';
import { everybody } from '../ingest/everybody';
import { scopeConditions } from './scope';

type Asked = z.output<typeof statementOperations.read.request>;
type SumRow = Pick<StatementLine, 'day' | 'model' | 'costNanoUsd'> &
  Record<'requests' | 'unpriced' | 'input' | 'cachedInput' | 'output', bigint>;

/** What an account, or some of its keys, was charged in a month (UTC), from the sums by hour. */
export async function readStatement(database: Queries<'metering'>, { month, ...scope }: Asked): Promise<Statement> {
  const [startAt, endAt] = boundsOf(month);
  const rows = await database.$queryRaw<SumRow[]>`
    WITH sums AS (
      SELECT (at AT TIME ZONE 'UTC')::date AS day, model, sum(requests) AS requests, sum(unpriced) AS unpriced,
        sum(input_tokens) AS input, sum(cached_input) AS cached, sum(output_tokens) AS output, sum(cost_nano_usd) AS cost
      FROM usage_hour
      WHERE at >= ${new Date(startAt)} AND at < ${new Date(endAt)}
        AND key_id <> ${everybody} AND provider <> ${responseCacheProvider} ${scopeConditions(scope)}
      GROUP BY 1, 2
    ), told AS (
      SELECT model FROM sums GROUP BY model ORDER BY sum(cost) DESC, sum(requests) DESC, model
      LIMIT ${mostStatementModels}
    )
    SELECT day::text AS day, coalesce(told.model, ${otherModels}) AS model, sum(requests)::bigint AS requests,
      sum(unpriced)::bigint AS unpriced, sum(input)::bigint AS input, sum(cached)::bigint AS "cachedInput",
      sum(output)::bigint AS output, sum(cost)::text AS "costNanoUsd"
    FROM sums LEFT JOIN told ON told.model = sums.model
    GROUP BY 1, 2 ORDER BY 1, 2`;
  const lines = rows.map(toLine);
  return { month, startAt, endAt, total: sumOf(lines), lines };
}

/** The first instant of a month (UTC) and of the next one, epoch milliseconds. */
function boundsOf(month: string): readonly [number, number] {
  const startAt = Date.parse(`${month}-01T00:00:00Z`);
  const start = new Date(startAt);
  return [startAt, Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)];
}

function toLine({ requests, unpriced, input, cachedInput, output, ...row }: SumRow): StatementLine {
  return {
    ...row,
    requests: Number(requests),
    unpricedRequests: Number(unpriced),
    inputTokens: Number(input),
    cachedInputTokens: Number(cachedInput),
    outputTokens: Number(output),
  };
}

function sumOf(lines: readonly StatementLine[]): StatementSum {
  const sum = (of: Exclude<keyof StatementSum, 'costNanoUsd'>) => lines.reduce((total, line) => total + line[of], 0);
  return {
    requests: sum('requests'),
    unpricedRequests: sum('unpricedRequests'),
    inputTokens: sum('inputTokens'),
    cachedInputTokens: sum('cachedInputTokens'),
    outputTokens: sum('outputTokens'),
    costNanoUsd: lines.reduce((total, { costNanoUsd }) => total + BigInt(costNanoUsd), 0n).toString(),
  };
}
