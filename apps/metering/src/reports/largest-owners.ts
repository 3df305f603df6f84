import { Prisma } from '@tollgate/database';
import type { Statements } from '@tollgate/database';
import { cutIntoBlocks, isFresh, ofNewEdition, ofOwnersEdition } from '../blocks/cut-into-blocks';
import type { Cut } from '../blocks/cut-into-blocks';
import { cutIntoHours, partsIn } from '../blocks/ended-hours';
import type { HourRange, KeptHours } from '../blocks/ended-hours';
import { everybody } from '../ingest/everybody';
import { aroundDays, wholeDays, wholeUnits } from '../slices/slice-rows';
import type { SummedWindow } from '../slices/slice-rows';
import { scopeConditions } from './scope';
import type { Scope } from './scope';
import type { SeriesWindow } from './series-window';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Whose usage, and by whom it is divided. */
export type OwnersQuestion = Scope & { groupBy: 'key' | 'account' };

/**
 * A key or account, and the accounts of what it used in the window. Of an account that is itself. Of a key
 * none are told but where one model of everybody is asked: then at least all (it may go from one to another,
 * on the days around the window, too); '' is usage of no account.
 */
export interface Owner {
  name: string;
  accountIds: string[];
}

/** What owners used, in whole days of blocks, in hours that are kept, and in rows by hour and by minute. */
interface OwnersCut {
  builds: bigint[];
  kept: KeptHours[];
  ranges: HourRange[];
  minutes: HourRange[];
  bounded: BoundedPart[];
}

/** A part of a day that is read by index. What the whole day has is in a block: no owner used more in it. */
interface BoundedPart {
  build: bigint;
  range: HourRange;
}

/**
 * The keys or accounts that cost most in a window, at most so many, in no order. In steps of days that is in
 * the whole hours around it.
 */
export async function largestOwners(
  queries: Statements,
  window: SeriesWindow,
  question: OwnersQuestion,
  most: number,
): Promise<Owner[]> {
  const cut = await cutOfOwners(queries, window, question);
  const known = knownOf(cut, question);
  const one = cut.bounded.length === 0 ? known : withParts(known, cut, question, most);
  const rows = await queries.$queryRaw<Owner[]>`
    SELECT name, array_remove(array_agg(account), NULL) AS "accountIds" FROM (${addedUp(one)}) AS one GROUP BY name
    HAVING sum(requests) IS NOT NULL ORDER BY sum(cost_nano_usd) DESC, sum(requests) DESC, name COLLATE "C" LIMIT ${most}`;
  return question.groupBy === 'account' ? rows.map(({ name }) => ({ name, accountIds: [name] })) : rows;
}

function addedUp(parts: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT name, account, sum(requests) AS requests, sum(cost_nano_usd) AS cost_nano_usd FROM (${parts}) AS part GROUP BY name, account`;
}

function knownOf({ builds, kept, ranges, minutes }: OwnersCut, question: OwnersQuestion): Prisma.Sql {
  const parts = [
    blocksOf(builds, question),
    ...(kept.length > 0 ? [keptOf(kept, question)] : []),
    ...(ranges.length > 0 ? [rowsOf(Prisma.sql`usage_hour`, ranges, question)] : []),
    ...(minutes.length > 0 ? [rowsOf(Prisma.sql`usage_minute`, minutes, question)] : []),
  ];
  return Prisma.join(parts, ' UNION ALL ');
}

function blocksOf(builds: readonly bigint[], question: OwnersQuestion): Prisma.Sql {
  const { groupBy, accountId, model } = question;
  if (accountId === undefined && model !== undefined)
    return Prisma.sql`
      SELECT ${usedColumns(question)} FROM usage_block_owners AS made CROSS JOIN LATERAL ${usedIn(question)}
      WHERE build = ANY(${builds}::bigint[]) AND model = ${model}`;
  const sums =
    accountId !== undefined && model === undefined
      ? Prisma.sql`usage_block_sum WHERE true`
      : Prisma.sql`usage_block_model_sum WHERE model = ${model ?? '*'}`;
  return Prisma.sql`
    SELECT name, NULL::text AS account, requests, cost_nano_usd FROM ${sums} AND build = ANY(${builds}::bigint[]) AND dimension = ${groupBy}`;
}

function keptOf(kept: readonly KeptHours[], question: OwnersQuestion): Prisma.Sql {
  const [starts, lengths] = [kept.map(({ at }) => new Date(at)), kept.map(({ hours }) => hours)];
  const { model } = question;
  const made =
    model === undefined
      ? Prisma.sql`usage_ended_hours AS made USING (at, hours)`
      : Prisma.sql`usage_ended_owners AS made ON made.at = part.at AND made.hours = part.hours AND made.model = ${model}`;
  return Prisma.sql`
    SELECT ${usedColumns(question)} FROM unnest(${starts}::timestamptz[], ${lengths}::int[]) AS part (at, hours)
    JOIN ${made} CROSS JOIN LATERAL ${usedIn(question)}`;
}

/** What the arrays of keys and accounts have, one row for each of their places. */
function usedIn(question: OwnersQuestion): Prisma.Sql {
  if (tellsAccounts(question))
    return Prisma.sql`unnest(made.keys, made.accounts, made.requests, made.costs) AS used (name, account, requests, cost_nano_usd)`;
  const names = question.groupBy === 'key' ? Prisma.sql`keys` : Prisma.sql`accounts`;
  return Prisma.sql`unnest(made.${names}, made.requests, made.costs) AS used (name, requests, cost_nano_usd)`;
}

function usedColumns(question: OwnersQuestion): Prisma.Sql {
  const account = tellsAccounts(question) ? Prisma.sql`used.account` : Prisma.sql`NULL::text AS account`;
  return Prisma.sql`used.name, ${account}, used.requests, used.cost_nano_usd`;
}

/** Where all that is read of keys has their accounts, too. */
function tellsAccounts({ groupBy, ...scope }: OwnersQuestion): boolean {
  return groupBy === 'key' && scope.model !== undefined && isOfEverybody(scope);
}

function isOfEverybody({ accountId, keyIds, provider }: Scope): boolean {
  return accountId === undefined && keyIds === undefined && provider === undefined;
}

function rowsOf(table: Prisma.Sql, ranges: readonly HourRange[], question: OwnersQuestion): Prisma.Sql {
  return Prisma.sql`
    SELECT used.* FROM ${partsIn(ranges)} CROSS JOIN LATERAL (
      SELECT ${ownerOf(question)} AS name, ${accountOf(question)} AS account, requests - cached_requests AS requests, cost_nano_usd
      FROM ${table} WHERE at >= part.from AND at < part.to ${scopeConditions(question)} ${notOfAll(question)} OFFSET 0
    ) AS used`;
}

/**
 * What is known, and what those of whom the parts of days decide used in these. Who has accounts on these
 * days is told without sums, whoever they are.
 */
function withParts(known: Prisma.Sql, cut: OwnersCut, question: OwnersQuestion, most: number): Prisma.Sql {
  const builds = cut.bounded.map(({ build }) => build);
  const accounts = Prisma.sql`UNION ALL SELECT name, account, NULL, NULL FROM day`;
  return Prisma.sql`
    WITH known AS MATERIALIZED (${addedUp(known)}),
    day AS MATERIALIZED (${blocksOf(builds, question)}),
    everyone AS MATERIALIZED (${withDays}),
    candidate AS MATERIALIZED (${candidates(most)})
    SELECT * FROM known UNION ALL ${partsOf(cut, question)} ${tellsAccounts(question) ? accounts : Prisma.empty}`;
}

const sumsOfName = Prisma.sql`name, sum(requests) AS requests, sum(cost_nano_usd) AS cost`;
/** What is known of each owner, and at most: with the whole of the days of which parts are asked. */
const withDays = Prisma.sql`
  SELECT name, coalesce(known.cost, 0) AS cost, coalesce(known.requests, 0) AS requests,
    coalesce(known.cost, 0) + coalesce(days.cost, 0) AS most_cost, coalesce(known.requests, 0) + coalesce(days.requests, 0) AS most_requests
  FROM (SELECT ${sumsOfName} FROM known GROUP BY name) AS known
  FULL JOIN (SELECT ${sumsOfName} FROM day GROUP BY name) AS days USING (name)`;

/**
 * Of whom the parts decide. Out are those that come, at most, behind as many as are asked for; and in are
 * those that come before all but as many, whatever they used in the parts.
 */
function candidates(most: number): Prisma.Sql {
  return Prisma.sql`
    SELECT name FROM everyone WHERE NOT EXISTS (
      SELECT FROM (SELECT cost, requests FROM everyone ORDER BY 1 DESC, 2 DESC OFFSET ${most - 1}::int LIMIT 1) AS last
      WHERE (last.cost, last.requests) > (everyone.most_cost, everyone.most_requests)
    ) AND NOT EXISTS (
      SELECT FROM (SELECT most_cost, most_requests FROM everyone ORDER BY 1 DESC, 2 DESC OFFSET ${most}::int LIMIT 1) AS next
      WHERE (next.most_cost, next.most_requests) < (everyone.cost, everyone.requests)
    )`;
}

/** What these used in the parts, by index. */
function partsOf({ bounded }: OwnersCut, question: OwnersQuestion): Prisma.Sql {
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

async function cutOfOwners(queries: Statements, window: SeriesWindow, question: OwnersQuestion): Promise<OwnersCut> {
  const hours = hoursIn(window);
  const days = await cutOfDays(queries, question, wholeDays(hours));
  const cut = {
    builds: days.builds,
    minutes: minutesIn(window),
    ranges: [...aroundDays(hours), ...days.ranges],
    kept: [],
    bounded: [],
  };
  if (!isOfEverybody(question) || cut.ranges.length === 0) return cut;
  const rest = await cutIntoHours(queries, cut.ranges, question.model);
  const bounded = await boundedIn(queries, rest.ranges, editionOf(question));
  const lengthMs = bounded.reduce((sum, { range }) => sum + range.to - range.from, 0);
  // Too many would be looked up one by one where most of the window is not known.
  if (lengthMs * 2 > hours.lastHour - hours.firstHour) return { ...cut, ...rest };
  const isBounded = new Set(bounded.map(({ range }) => range));
  return { ...cut, kept: rest.kept, ranges: rest.ranges.filter((range) => !isBounded.has(range)), bounded };
}

function hoursIn({ step, from, to }: SeriesWindow): SummedWindow {
  if (step === 'day') return wholeUnits(from, to, hourMs);
  const firstHour = Math.ceil(from / hourMs) * hourMs;
  return { start: from, firstHour, lastHour: Math.max(firstHour, to - (to % hourMs)), end: to };
}

/** Of other steps than days the window counts to the minute, where it cuts hours. */
function minutesIn({ step, from, to }: SeriesWindow): HourRange[] {
  if (step === 'day') return [];
  const cut = [from, to].filter((bound) => bound % hourMs !== 0).map((bound) => bound - (bound % hourMs));
  return [...new Set(cut)].map((hour) => ({ from: Math.max(from, hour), to: Math.min(to, hour + hourMs) }));
}

/** Blocks tell no providers apart, and those of an account only its keys. */
async function cutOfDays(queries: Statements, question: OwnersQuestion, days: HourRange): Promise<Cut> {
  const { groupBy, accountId, model } = question;
  if (days.from >= days.to) return { builds: [], ranges: [] };
  if (isOfEverybody(question))
    return cutIntoBlocks(queries, { accountId: '', keyIds: [everybody] }, days, editionOf(question));
  if (groupBy === 'key' && accountId !== undefined && isOfEverybody({ ...question, accountId: undefined }))
    return cutIntoBlocks(queries, { accountId }, days, model === undefined ? undefined : ofNewEdition);
  return { builds: [], ranges: [{ key: null, ...days }] };
}

/** Of everybody's blocks: those that hold who used all, or this model. */
function editionOf({ model }: OwnersQuestion): Prisma.Sql {
  return model === undefined ? ofNewEdition : ofOwnersEdition;
}

/** Of these, which are parts of days that everybody's blocks have. */
async function boundedIn(
  queries: Statements,
  ranges: readonly HourRange[],
  wanted: Prisma.Sql,
): Promise<BoundedPart[]> {
  const inDays = ranges.filter(({ from, to }) => dayOf(from) === dayOf(to - 1));
  if (inDays.length === 0) return [];
  const days = inDays.map(({ from }) => new Date(dayOf(from)));
  const blocks = await queries.$queryRaw<{ at: Date; build: bigint }[]>`
    SELECT at, build FROM usage_block WHERE key_id = ${everybody} AND account_id = '' AND days = 1
      AND at = ANY(${days}::timestamptz[]) AND ${isFresh} AND ${wanted}`;
  const builds = new Map(blocks.map(({ at, build }) => [at.getTime(), build]));
  return inDays.flatMap((range) => {
    const build = builds.get(dayOf(range.from));
    return build === undefined ? [] : [{ build, range }];
  });
}

function dayOf(time: number): number {
  return time - (time % dayMs);
}
