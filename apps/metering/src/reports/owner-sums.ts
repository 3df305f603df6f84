import { Prisma } from '@tollgate/database';
import { partsIn } from '../blocks/ended-hours';
import type { HourRange, KeptHours } from '../blocks/ended-hours';
import { everybody } from '../ingest/everybody';
import { scopeConditions } from './scope';
import type { Scope } from './scope';

/** Whose usage, and by whom it is divided. */
export type OwnersQuestion = Scope & { groupBy: 'key' | 'account' };

/** What owners used, in whole days of blocks, in hours that are kept, and in rows by hour and by minute. */
export interface OwnersCut {
  builds: bigint[];
  kept: KeptHours[];
  ranges: HourRange[];
  minutes: HourRange[];
  bounded: BoundedPart[];
}

/** A part of a day that is read by index. What the whole day has is in a block: no owner used more in it. */
export interface BoundedPart {
  build: bigint;
  range: HourRange;
}

/** Rows of `name`, `account`, `requests` and `cost_nano_usd`, one for each name and account. */
export function addedUp(parts: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT name, account, sum(requests) AS requests, sum(cost_nano_usd) AS cost_nano_usd FROM (${parts}) AS part GROUP BY name, account`;
}

/** What is not in blocks, and in no part of a day that is looked up. */
export function restOf({ kept, ranges, minutes }: OwnersCut, question: OwnersQuestion): Prisma.Sql {
  const parts = [
    ...(kept.length > 0 ? [keptOf(kept, question)] : []),
    ...(ranges.length > 0 ? [rowsOf(Prisma.sql`usage_hour`, ranges, question)] : []),
    ...(minutes.length > 0 ? [rowsOf(Prisma.sql`usage_minute`, minutes, question)] : []),
  ];
  if (parts.length > 0) return Prisma.join(parts, ' UNION ALL ');
  return Prisma.sql`
    SELECT NULL::text AS name, NULL::text AS account, NULL::bigint AS requests, NULL::numeric AS cost_nano_usd WHERE false`;
}

export function blocksOf(builds: readonly bigint[], question: OwnersQuestion): Prisma.Sql {
  const sums = sumsOf(question);
  if (sums === null)
    return Prisma.sql`
      SELECT ${usedIn(question)} FROM usage_block_owners AS made WHERE build = ANY(${builds}::bigint[]) AND model = ${question.model}`;
  return Prisma.sql`
    SELECT name, NULL::text AS account, requests, cost_nano_usd FROM ${sums} AND build = ANY(${builds}::bigint[])`;
}

/**
 * Rows that blocks have of each name, with its place among those of a build, by cost; to be followed by AND.
 * Null: what everybody used of a model, which is in arrays.
 */
export function sumsOf({ groupBy, accountId, model }: OwnersQuestion): Prisma.Sql | null {
  if (accountId === undefined && model !== undefined) return null;
  if (accountId !== undefined && model === undefined) return Prisma.sql`usage_block_sum WHERE dimension = ${groupBy}`;
  return Prisma.sql`usage_block_model_sum WHERE model = ${model ?? '*'} AND dimension = ${groupBy}`;
}

function keptOf(kept: readonly KeptHours[], question: OwnersQuestion): Prisma.Sql {
  const [starts, lengths] = [kept.map(({ at }) => new Date(at)), kept.map(({ hours }) => hours)];
  const { model } = question;
  const made =
    model === undefined
      ? Prisma.sql`usage_ended_hours AS made USING (at, hours)`
      : Prisma.sql`usage_ended_owners AS made ON made.at = part.at AND made.hours = part.hours AND made.model = ${model}`;
  return Prisma.sql`
    SELECT ${usedIn(question)} FROM unnest(${starts}::timestamptz[], ${lengths}::int[]) AS part (at, hours) JOIN ${made}`;
}

/**
 * What the arrays of keys and accounts have, one row for each of their places: as columns, since a function
 * behind FROM writes all its rows down first, which took half of the time.
 */
function usedIn(question: OwnersQuestion): Prisma.Sql {
  const names = question.groupBy === 'key' ? Prisma.sql`keys` : Prisma.sql`accounts`;
  const account = tellsAccounts(question) ? Prisma.sql`unnest(made.accounts)` : Prisma.sql`NULL::text`;
  return Prisma.sql`
    unnest(made.${names}) AS name, ${account} AS account, unnest(made.requests) AS requests, unnest(made.costs) AS cost_nano_usd`;
}

/** Where all that is read of keys has their accounts, too. */
export function tellsAccounts({ groupBy, ...scope }: OwnersQuestion): boolean {
  return groupBy === 'key' && scope.model !== undefined && isOfEverybody(scope);
}

export function isOfEverybody({ accountId, keyIds, provider }: Scope): boolean {
  return accountId === undefined && keyIds === undefined && provider === undefined;
}

function rowsOf(table: Prisma.Sql, ranges: readonly HourRange[], question: OwnersQuestion): Prisma.Sql {
  return Prisma.sql`
    SELECT used.* FROM ${partsIn(ranges)} CROSS JOIN LATERAL (
      SELECT ${ownerOf(question)} AS name, ${accountOf(question)} AS account, requests - cached_requests AS requests, cost_nano_usd
      FROM ${table} WHERE at >= part.from AND at < part.to ${scopeConditions(question)} ${notOfAll(question)} OFFSET 0
    ) AS used`;
}

/** What candidates used in the parts of days, by index. */
export function partsOf({ bounded }: OwnersCut, question: OwnersQuestion): Prisma.Sql {
  return Prisma.sql`
    SELECT candidate.name, used.* FROM candidate CROSS JOIN ${partsIn(bounded.map(({ range }) => range))} CROSS JOIN LATERAL (
      SELECT ${accountOf(question)} AS account, requests - cached_requests AS requests, cost_nano_usd FROM usage_hour
      WHERE ${ownerOf(question)} = candidate.name AND at >= part.from AND at < part.to ${scopeConditions(question)} ${notOfAll(question)} OFFSET 0
    ) AS used`;
}

function ownerOf({ groupBy }: OwnersQuestion): Prisma.Sql {
  return groupBy === 'key' ? Prisma.sql`key_id` : Prisma.sql`account_id`;
}

function accountOf(question: OwnersQuestion): Prisma.Sql {
  return tellsAccounts(question) ? Prisma.sql`account_id` : Prisma.sql`NULL::text`;
}

function notOfAll({ accountId }: OwnersQuestion): Prisma.Sql {
  return accountId === undefined ? Prisma.sql`AND key_id <> ${everybody}` : Prisma.empty;
}
