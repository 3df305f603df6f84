import { ControlError } from '@tollgate/contracts';
import { responseCacheProvider, type UsedDay } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { z } from 'zod';
import { everybody } from '../ingest/everybody';
import type { ReportReply, ReportRequest } from '../operations';
import { scopeConditions } from './scope';

/** The last row of a page. */
const cursor = z.tuple([z.iso.date(), z.string(), z.string(), z.string()]);
type Cursor = z.output<typeof cursor>;
type ReportScope = Omit<ReportRequest<'days'>, 'from' | 'to' | 'limit' | 'after'>;

const dayMs = 86_400_000;
const mostDaysRead = 31;

type SumRow = Pick<UsedDay, 'day' | 'keyId' | 'accountId' | 'model' | 'provider' | 'costNanoUsd'> &
  Record<'requests' | 'unpriced' | 'input' | 'cachedInput' | 'output' | 'reasoning', bigint>;

/**
 * Reads one page of what keys used by day, from the sums by hour, so that all of it is what a series of these
 * days adds up to. A page reads so few days that others have their turn between pages: it may have less than
 * `limit` rows, also none, where more are to come.
 * @throws ControlError `invalid` for a wrong cursor, and for a last day before the first.
 */
export async function usedDays(
  database: Queries<'metering'>,
  { from, to, limit, after, ...scope }: ReportRequest<'days'>,
): Promise<ReportReply<'days'>> {
  if (to < from) throw new ControlError('invalid', `to: ${to} is before the first day, ${from}.`);
  const last = after === undefined ? null : readCursor(after);
  let day = last?.[0] ?? from;
  const days: UsedDay[] = [];
  for (let read = 0; read < mostDaysRead && day <= to; read++, day = dayAfter(day)) {
    const room = limit - days.length;
    // One more than there is room for tells whether there is a next page.
    const rows = await rowsOf(database, day, scope, last?.[0] === day ? last : null, room + 1);
    days.push(...rows.slice(0, room).map(toUsedDay));
    const end = days.at(-1);
    if (rows.length > room && end) return { days, next: cursorOf(end) };
  }
  return { days, next: day <= to ? cursorOf({ day, keyId: '', model: '', provider: '' }) : null };
}

/** Rows of one day, behind `last`. */
function rowsOf(
  database: Queries<'metering'>,
  day: string,
  scope: ReportScope,
  last: Cursor | null,
  limit: number,
): Promise<SumRow[]> {
  const further = last
    ? Prisma.sql`HAVING (key_id, model, provider) > (${last[1]}, ${last[2]}, ${last[3]})`
    : Prisma.empty;
  return database.$queryRaw<SumRow[]>`
    SELECT ${day} AS day, key_id AS "keyId", max(account_id) AS "accountId", model, provider, sum(requests)::bigint AS requests,
      sum(unpriced)::bigint AS unpriced, sum(input_tokens)::bigint AS input, sum(cached_input)::bigint AS "cachedInput",
      sum(output_tokens)::bigint AS output, sum(reasoning)::bigint AS reasoning, sum(cost_nano_usd)::text AS "costNanoUsd"
    FROM usage_hour
    WHERE at >= (${day}::date::timestamp AT TIME ZONE 'UTC') AND at < ((${day}::date + 1)::timestamp AT TIME ZONE 'UTC')
      AND key_id <> ${everybody} AND provider <> ${responseCacheProvider} ${scopeConditions(scope)}
    GROUP BY key_id, model, provider ${further}
    ORDER BY key_id, model, provider LIMIT ${limit}`;
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10);
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

function cursorOf({ day, keyId, model, provider }: Pick<UsedDay, 'day' | 'keyId' | 'model' | 'provider'>): string {
  return Buffer.from(JSON.stringify([day, keyId, model, provider])).toString('base64url');
}

function readCursor(text: string): Cursor {
  try {
    return cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw new ControlError('invalid', 'after: is no cursor of this list.');
  }
}
