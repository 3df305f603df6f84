import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { cutIntoBlocks } from '../blocks/cut-into-blocks';
import type { Cut } from '../blocks/cut-into-blocks';
import { everybody } from '../ingest/everybody';
import { aroundDays, wholeDays, wholeUnits } from '../slices/slice-rows';
import { scopeConditions } from './scope';
import type { Scope } from './scope';

const hourMs = 3_600_000;

/** Whose usage, and by whom it is divided. */
export type OwnersQuestion = Scope & { groupBy: 'key' | 'account' };

/**
 * The keys or accounts that used most in the whole hours around a window (epoch milliseconds), the most
 * costly first, at most so many.
 */
export async function largestOwners(
  queries: Queries<'metering'>,
  { from, to }: { from: number; to: number },
  question: OwnersQuestion,
  most: number,
): Promise<string[]> {
  const { groupBy, accountId, model } = question;
  const window = wholeUnits(from, to, hourMs);
  const cut = await cutOfOwners(queries, question, wholeDays(window));
  const ranges = [...aroundDays(window), ...cut.ranges];
  const times = (of: 'from' | 'to') => ranges.map((range) => new Date(range[of]));
  const owner = groupBy === 'key' ? Prisma.sql`key_id` : Prisma.sql`account_id`;
  const ofOwners = accountId === undefined ? Prisma.sql`AND key_id <> ${everybody}` : Prisma.empty;
  const sums =
    accountId !== undefined && model === undefined
      ? Prisma.sql`usage_block_sum WHERE true`
      : Prisma.sql`usage_block_model_sum WHERE model = ${model ?? '*'}`;
  const rows = await queries.$queryRaw<{ name: string }[]>`
    SELECT name FROM (
      SELECT hour.* FROM unnest(${times('from')}::timestamptz[], ${times('to')}::timestamptz[]) AS part ("from", "to") CROSS JOIN LATERAL (
        SELECT ${owner} AS name, requests - cached_requests AS requests, cost_nano_usd
        FROM usage_hour WHERE at >= part.from AND at < part.to ${scopeConditions(question)} ${ofOwners} OFFSET 0
      ) AS hour
      UNION ALL
      SELECT name, requests, cost_nano_usd FROM ${sums} AND build = ANY(${cut.builds}::bigint[]) AND dimension = ${groupBy}
    ) AS one GROUP BY name ORDER BY sum(cost_nano_usd) DESC, sum(requests) DESC, name LIMIT ${most}`;
  return rows.map(({ name }) => name);
}

/** Blocks tell no providers apart, those of everybody no models, and those of an account only its keys. */
async function cutOfOwners(
  queries: Queries<'metering'>,
  { groupBy, accountId, keyIds, model, provider }: OwnersQuestion,
  days: { from: number; to: number },
): Promise<Cut> {
  const isOfBlocks =
    keyIds === undefined &&
    provider === undefined &&
    (accountId === undefined ? model === undefined : groupBy === 'key');
  if (!isOfBlocks) return { builds: [], ranges: days.from < days.to ? [{ key: null, ...days }] : [] };
  if (accountId !== undefined) return cutIntoBlocks(queries, { accountId }, days, model !== undefined);
  return cutIntoBlocks(queries, { accountId: '', keyIds: [everybody] }, days, true);
}
