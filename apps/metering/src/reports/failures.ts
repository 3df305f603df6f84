import { mostFailureCauses } from '@tollgate/contracts/metering';
import type { FailureCauses } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { Database } from '@tollgate/database';
import type { ReportRequest } from '../operations';
import { providerInSql } from '../ingest/fold-rows';
import { keysOf, narrowed, newestRequests } from './request-log';

/** Requests that are looked at, failed or not: so many are read within a second. */
const mostLookedAt = 50_000;

/** A cause, with what holds of all of them. `id` null: there is none. */
interface CauseRow {
  counted: number;
  isWhole: boolean;
  status: number;
  error: string | null;
  model: string;
  provider: string | null;
  count: number;
  keys: number;
  id: string | null;
  requestId: string;
  at: Date;
  reason: string | null;
}

/** Null: none was asked. */
const failedProvider = Prisma.sql`nullif(${providerInSql}, '')`;

/**
 * Why requests failed, by what their caller got and what the last attempt ran into, the most frequent first.
 * Where failures are rare there are very many other requests in between: only the newest `most` are looked
 * at, of several keys as many of each.
 */
export async function failures(
  database: Database<'metering'>,
  { model, provider, ...question }: ReportRequest<'failures'>,
  most = mostLookedAt,
): Promise<FailureCauses> {
  const keyIds = question.keyIds ?? (await keysOf(database, question));
  const keys = Math.max(1, keyIds?.length ?? 1);
  const ofEach = Math.ceil(most / keys);
  const looked = newestRequests(keyIds, { ...question, limit: ofEach }, null, (ofEach + 1) * keys);
  const rows = await database.$queryRaw<CauseRow[]>`
    WITH looked AS MATERIALIZED (${looked}), failed AS (
      SELECT status, attempts->-1->>'error' AS error, model, ${failedProvider} AS provider, "keyId",
        id, "requestId", "endedAt", attempts->-1->>'reason' AS reason
      FROM looked WHERE true ${narrowed({ state: 'failed', model, provider })}
    ), causes AS (
      SELECT status, error, model, provider, count(*)::int AS count, count(DISTINCT "keyId")::int AS keys,
        (array_agg(id ORDER BY "endedAt" DESC))[1]::text AS id,
        (array_agg("requestId" ORDER BY "endedAt" DESC))[1] AS "requestId",
        max("endedAt") AS at, (array_agg(reason ORDER BY "endedAt" DESC))[1] AS reason
      FROM failed GROUP BY status, error, model, provider
      ORDER BY count DESC, status, error, model, provider LIMIT ${mostFailureCauses}
    ), told AS (
      SELECT (SELECT count(*)::int FROM failed) AS counted, NOT EXISTS (
        SELECT FROM looked GROUP BY ${keyIds ? Prisma.sql`"keyId"` : Prisma.sql`()`} HAVING count(*) > ${ofEach}
      ) AS "isWhole"
    )
    SELECT * FROM told LEFT JOIN causes ON true ORDER BY count DESC, status, error, model, provider`;
  const { counted = 0, isWhole = true } = rows[0] ?? {};
  return {
    counted,
    isWhole,
    causes: rows.flatMap(({ id, requestId, at, reason, counted: _counted, isWhole: _isWhole, ...cause }) =>
      id === null ? [] : [{ ...cause, last: { id, requestId, at: at.getTime(), reason } }],
    ),
  };
}
