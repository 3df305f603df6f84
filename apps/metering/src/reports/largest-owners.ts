import { Prisma } from '@tollgate/database';
import type { Statements } from '@tollgate/database';
import { cutIntoBlocks, isFresh, ofNewEdition, ofOwnersEdition } from '../blocks/cut-into-blocks';
import type { Cut } from '../blocks/cut-into-blocks';
import { cutIntoHours } from '../blocks/ended-hours';
import type { HourRange } from '../blocks/ended-hours';
import { everybody } from '../ingest/everybody';
import { aroundDays, wholeDays, wholeUnits } from '../slices/slice-rows';
import type { SummedWindow } from '../slices/slice-rows';
import { leadingOwners } from './leading-owners';
import { addedUp, blocksOf, isOfEverybody, partsOf, restOf, tellsAccounts } from './owner-sums';
import type { BoundedPart, OwnersCut, OwnersQuestion } from './owner-sums';
import type { SeriesWindow } from './series-window';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * A key or account, and the accounts of what it used in the window. Of an account that is itself. Of a key
 * none are told but where one model of everybody is asked: then at least all (it may go from one to another,
 * on the days around the window, too); '' is usage of no account.
 */
export interface Owner {
  name: string;
  accountIds: string[];
}

/**
 * The keys or accounts that cost most in a window, at most so many, in no order. In steps of days that is in
 * the whole hours around it. What blocks have of all is read only where it is not plain without it.
 */
export async function largestOwners(
  queries: Statements,
  window: SeriesWindow,
  question: OwnersQuestion,
  most: number,
): Promise<Owner[]> {
  const cut = await cutOfOwners(queries, window, question);
  const rows = (await ofLeading(queries, cut, question, most)) ?? (await ofAll(queries, cut, question, most));
  return question.groupBy === 'account' ? rows.map(({ name }) => ({ name, accountIds: [name] })) : rows;
}

/** Of all who used anything. */
function ofAll(queries: Statements, cut: OwnersCut, question: OwnersQuestion, most: number): Promise<Owner[]> {
  const known = Prisma.sql`${blocksOf(cut.builds, question)} UNION ALL ${restOf(cut, question)}`;
  if (cut.bounded.length === 0) return queries.$queryRaw<Owner[]>`${largestOf(known, most)}`;
  const days = blocksOf(buildsOfParts(cut), question);
  return queries.$queryRaw<Owner[]>`
    WITH known AS MATERIALIZED (${addedUp(known)}),
    day AS MATERIALIZED (${days}),
    ${candidatesIn(most)}
    ${largestOf(withParts(cut, question), most)}`;
}

/** Of those who come into question by what blocks have of them. Null: others may be among the largest. */
async function ofLeading(
  queries: Statements,
  cut: OwnersCut,
  question: OwnersQuestion,
  most: number,
): Promise<Owner[] | null> {
  if (cut.builds.length === 0) return null;
  const leading = await leadingOwners(queries, cut.builds, question, most);
  const known = Prisma.sql`
    SELECT name, NULL::text AS account, requests, cost AS cost_nano_usd FROM ahead
    UNION ALL ${leading.sumsOfMore} UNION ALL SELECT rest.* FROM rest JOIN asked USING (name)`;
  const rows = await queries.$queryRaw<(Owner & { isSure: boolean })[]>`
    WITH ahead AS MATERIALIZED (${leading.names}),
    bound AS MATERIALIZED (${leading.bound}),
    rest AS MATERIALIZED (${addedUp(restOf(cut, question))}),
    whole AS MATERIALIZED (${blocksOf(buildsOfParts(cut), question)}),
    ${askedOf(most)},
    known AS MATERIALIZED (${known}),
    day AS MATERIALIZED (SELECT whole.* FROM whole JOIN asked USING (name)),
    ${candidatesIn(most)}
    SELECT owner.*, ${isSure} AS "isSure" FROM (${largestOf(withParts(cut, question), most)}) AS owner`;
  if (rows[0]?.isSure !== true) return null;
  return rows.map(({ name, accountIds }) => ({
    name,
    accountIds: [...new Set([...accountIds, ...(leading.accountsOf.get(name) ?? [])])],
  }));
}

/**
 * `least`: what the last of as many as are asked for has, as far as is known, so that who has less at most is
 * out. `asked`: who is not out; beside who leads in blocks that is `more`.
 */
function askedOf(most: number): Prisma.Sql {
  return Prisma.sql`
    least AS MATERIALIZED (
      SELECT (
        SELECT sum(cost) FROM (SELECT name, cost FROM ahead UNION ALL SELECT name, cost_nano_usd FROM rest) AS one
        GROUP BY name ORDER BY 1 DESC OFFSET ${most - 1}::int LIMIT 1
      ) AS cost
    ),
    more AS MATERIALIZED (
      SELECT name FROM (SELECT name, cost_nano_usd FROM rest UNION ALL SELECT name, cost_nano_usd FROM whole) AS one
      WHERE NOT EXISTS (SELECT FROM ahead WHERE ahead.name = one.name)
      GROUP BY name HAVING ((SELECT cost FROM bound) + sum(cost_nano_usd) < (SELECT cost FROM least)) IS NOT TRUE
    ),
    asked AS MATERIALIZED (SELECT name FROM ahead UNION ALL SELECT name FROM more)`;
}

/** Nobody is left out who has as much as the last of those that are asked for. */
const isSure = Prisma.sql`(SELECT NOT bound.is_cut OR (bound.cost < least.cost) IS TRUE FROM bound, least)`;

/** The first of all rows of these by their sums. */
function largestOf(rows: Prisma.Sql, most: number): Prisma.Sql {
  return Prisma.sql`
    SELECT name, array_remove(array_agg(account), NULL) AS "accountIds" FROM (${addedUp(rows)}) AS one GROUP BY name
    HAVING sum(requests) IS NOT NULL ORDER BY sum(cost_nano_usd) DESC, sum(requests) DESC, name COLLATE "C" LIMIT ${most}`;
}

function buildsOfParts({ bounded }: OwnersCut): bigint[] {
  return bounded.map(({ build }) => build);
}

/**
 * What is known, and what those of whom the parts of days decide used in these. Who has accounts on these
 * days is told without sums, whoever they are.
 */
function withParts(cut: OwnersCut, question: OwnersQuestion): Prisma.Sql {
  const accounts = Prisma.sql`UNION ALL SELECT name, account, NULL, NULL FROM day`;
  return Prisma.sql`
    SELECT * FROM known UNION ALL ${partsOf(cut, question)} ${tellsAccounts(question) ? accounts : Prisma.empty}`;
}

/** Of `known` and `day`. */
function candidatesIn(most: number): Prisma.Sql {
  return Prisma.sql`everyone AS MATERIALIZED (${withDays}), candidate AS MATERIALIZED (${candidates(most)})`;
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
