import { ControlError, responseCacheProvider, type UsedDay } from '@tollgate/contracts';
import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { z } from 'zod';
import { everybody } from '../ingest/everybody';
import type { ReportReply, ReportRequest } from '../operations';
import { scopeConditions } from './scope';

/** The last row of a page. */
const cursor = z.tuple([z.iso.date(), z.string(), z.string(), z.string()]);

type SumRow = Pick<UsedDay, 'day' | 'keyId' | 'accountId' | 'model' | 'provider' | 'costNanoUsd'> &
  Record<'requests' | 'unpriced' | 'input' | 'cachedInput' | 'output' | 'reasoning', bigint>;

/**
 * Reads one page of what keys used by day, from the sums by hour, so that all of it is what a series of these
 * days adds up to. @throws ControlError `invalid` for a wrong cursor.
 */
export async function usedDays(
  database: Queries<'metering'>,
  { from, to, limit, after, ...scope }: ReportRequest<'days'>,
): Promise<ReportReply<'days'>> {
  const last = after === undefined ? null : readCursor(after);
  const further = last
    ? Prisma.sql`HAVING (day, key_id, model, provider) > (${last[0]}, ${last[1]}, ${last[2]}, ${last[3]})`
    : Prisma.empty;
  // One more than asked for tells whether there is a next page.
  const rows = await database.$queryRaw<SumRow[]>`
    WITH part AS (
      SELECT (at AT TIME ZONE 'UTC')::date::text AS day, * FROM usage_hour
      WHERE at >= (${last?.[0] ?? from}::date::timestamp AT TIME ZONE 'UTC')
        AND at < ((${to}::date + 1)::timestamp AT TIME ZONE 'UTC')
        AND key_id <> ${everybody} AND provider <> ${responseCacheProvider} ${scopeConditions(scope)}
    )
    SELECT day, key_id AS "keyId", max(account_id) AS "accountId", model, provider, sum(requests)::bigint AS requests,
      sum(unpriced)::bigint AS unpriced, sum(input_tokens)::bigint AS input, sum(cached_input)::bigint AS "cachedInput",
      sum(output_tokens)::bigint AS output, sum(reasoning)::bigint AS reasoning, sum(cost_nano_usd)::text AS "costNanoUsd"
    FROM part GROUP BY day, key_id, model, provider ${further}
    ORDER BY day, key_id, model, provider LIMIT ${limit + 1}`;
  const days = rows.slice(0, limit).map(toUsedDay);
  const end = days.at(-1);
  return { days, next: rows.length > limit && end ? cursorOf(end) : null };
}

function toUsedDay({ requests, unpriced, input, cachedInput, output, reasoning, ...row }: SumRow): UsedDay {
  return {
    ...row,
    requests: Number(requests),
    unpricedRequests: Number(unpriced),
    inputTokens: Number(input),
    cachedInputTokens: Number(cachedInput),
    outputTokens: Number(output),
    reasoningTokens: Number(reasoning),
  };
}

function cursorOf({ day, keyId, model, provider }: UsedDay): string {
  return Buffer.from(JSON.stringify([day, keyId, model, provider])).toString('base64url');
}

function readCursor(text: string): z.output<typeof cursor> {
  try {
    return cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw new ControlError('invalid', 'after: is no cursor of this list.');
  }
}
