import { mostFailureCauses } from '@tollgate/contracts';
import type { FailureCauses } from '@tollgate/contracts';
import type { Queries } from '@tollgate/database';
import type { ReportRequest } from '../operations';
import { keysOf, newestRequests } from './request-log';

/** Failed requests that are looked at: so many are read within a second, and tell what goes wrong. */
const mostFailed = 20_000;

interface CauseRow {
  status: number;
  error: string | null;
  model: string;
  provider: string | null;
  count: number;
  keys: number;
  id: string;
  requestId: string;
  at: Date;
  reason: string | null;
  counted: number;
}

/**
 * Why requests failed: the newest of them by what their caller got and what the last attempt ran into, the
 * most frequent first.
 */
export async function failures(
  database: Queries<'metering'>,
  question: ReportRequest<'failures'>,
): Promise<FailureCauses> {
  const keyIds = question.keyIds ?? (await keysOf(database, question));
  const failed = newestRequests(keyIds, { ...question, state: 'failed', limit: mostFailed });
  const rows = await database.$queryRaw<CauseRow[]>`
    WITH failed AS (${failed}), told AS (
      SELECT status, attempts->-1->>'error' AS error, model, attempts->-1->>'provider' AS provider, "keyId",
        id, "requestId", "endedAt", attempts->-1->>'reason' AS reason
      FROM failed
    )
    SELECT status, error, model, provider, count(*)::int AS count, count(DISTINCT "keyId")::int AS keys,
      (array_agg(id ORDER BY "endedAt" DESC))[1]::text AS id,
      (array_agg("requestId" ORDER BY "endedAt" DESC))[1] AS "requestId",
      max("endedAt") AS at, (array_agg(reason ORDER BY "endedAt" DESC))[1] AS reason,
      (SELECT count(*)::int FROM failed) AS counted
    FROM told GROUP BY status, error, model, provider
    ORDER BY count DESC, status, error, model, provider LIMIT ${mostFailureCauses}`;
  const counted = rows[0]?.counted ?? 0;
  return {
    counted: Math.min(counted, mostFailed),
    isWhole: counted <= mostFailed,
    causes: rows.map(({ id, requestId, at, reason, counted: _, ...cause }) => ({
      ...cause,
      last: { id, requestId, at: at.getTime(), reason },
    })),
  };
}
