import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { cutIntoBlocks, isFresh, ofNewEdition } from '../blocks/cut-into-blocks';
import type { Cut } from '../blocks/cut-into-blocks';
import { cutIntoHours } from '../blocks/ended-hours';
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
 * A key or account, and the accounts in which what it used was found: an account's own; of a key none where
 * they are not told, else all of them (a key may go from one to another; empty: usage of no account).
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
  queries: Queries<'metering'>,
  window: SeriesWindow,
  question: OwnersQuestion,
  most: number,
): Promise<Owner[]> {
  const cut = await cutOfOwners(queries, window, question);
  const known = knownOf(cut, question);
  const one =
    cut.bounded.length === 0
      ? known
      : Prisma.sql`
          WITH known AS MATERIALIZED (
            SELECT name, sum(requests) AS requests, sum(cost_nano_usd) AS cost_nano_usd FROM (${known}) AS one GROUP BY name
          ),
          everyone AS MATERIALIZED (${withDays(cut, question)}),
          candidate AS MATERIALIZED (${candidates(most)})
          SELECT * FROM known UNION ALL ${partsOf(cut, question)}`;
  const rows = await queries.$queryRaw<{ name: string }[]>`
    SELECT name FROM (${one}) AS one GROUP BY name
    ORDER BY sum(cost_nano_usd) DESC, sum(requests) DESC, name COLLATE "C" LIMIT ${most}`;
  return rows.map(({ name }) => ({ name, accountIds: question.groupBy === 'account' ? [name] : [] }));
}

function knownOf({ builds, kept, ranges, minutes }: OwnersCut, question: OwnersQuestion): Prisma.Sql {
  const { groupBy, accountId, model } = question;
  const sums =
    accountId !== undefined && model === undefined
      ? Prisma.sql`usage_block_sum WHERE true`
      : Prisma.sql`usage_block_model_sum WHERE model = ${model ?? '*'}`;
  const ofBlocks = Prisma.sql`
    SELECT name, requests, cost_nano_usd FROM ${sums} AND build = ANY(${builds}::bigint[]) AND dimension = ${groupBy}`;
  const parts = [
    ...(kept.length > 0 ? [keptOf(kept, groupBy)] : []),
    ...(ranges.length > 0 ? [rowsOf(Prisma.sql`usage_hour`, ranges, question)] : []),
    ...(minutes.length > 0 ? [rowsOf(Prisma.sql`usage_minute`, minutes, question)] : []),
  ];
  return Prisma.join([ofBlocks, ...parts], ' UNION ALL ');
}

function keptOf(kept: readonly KeptHours[], groupBy: OwnersQuestion['groupBy']): Prisma.Sql {
  const names = groupBy === 'key' ? Prisma.sql`keys` : Prisma.sql`accounts`;
  const [starts, lengths] = [kept.map(({ at }) => new Date(at)), kept.map(({ hours }) => hours)];
  return Prisma.sql`
    SELECT used.* FROM unnest(${starts}::timestamptz[], ${lengths}::int[]) AS part (at, hours)
    JOIN usage_ended_hours AS made USING (at, hours)
    CROSS JOIN LATERAL unnest(made.${names}, made.requests, made.costs) AS used (name, requests, cost_nano_usd)`;
}

function rowsOf(table: Prisma.Sql, ranges: readonly HourRange[], question: OwnersQuestion): Prisma.Sql {
  return Prisma.sql`
    SELECT used.* FROM ${partsIn(ranges)} CROSS JOIN LATERAL (
      SELECT ${ownerOf(question)} AS name, requests - cached_requests AS requests, cost_nano_usd
      FROM ${table} WHERE at >= part.from AND at < part.to ${scopeConditions(question)} ${notOfAll(question)} OFFSET 0
    ) AS used`;
}

/** What is known of each owner, and at most: with the whole of the days of which parts are asked. */
function withDays({ bounded }: OwnersCut, { groupBy }: OwnersQuestion): Prisma.Sql {
  return Prisma.sql`
    SELECT name, coalesce(known.cost_nano_usd, 0) AS cost, coalesce(known.requests, 0) AS requests,
      coalesce(known.cost_nano_usd, 0) + coalesce(days.cost, 0) AS most_cost, coalesce(known.requests, 0) + coalesce(days.requests, 0) AS most_requests
    FROM known FULL JOIN (
      SELECT name, sum(requests) AS requests, sum(cost_nano_usd) AS cost FROM usage_block_model_sum
      WHERE model = '*' AND build = ANY(${bounded.map(({ build }) => build)}::bigint[]) AND dimension = ${groupBy} GROUP BY name
    ) AS days USING (name)`;
}

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
      SELECT requests - cached_requests AS requests, cost_nano_usd FROM usage_hour
      WHERE ${ownerOf(question)} = candidate.name AND at >= part.from AND at < part.to ${notOfAll(question)} OFFSET 0
    ) AS used`;
}

function partsIn(ranges: readonly HourRange[]): Prisma.Sql {
  const times = (of: 'from' | 'to') => ranges.map((range) => new Date(range[of]));
  return Prisma.sql`unnest(${times('from')}::timestamptz[], ${times('to')}::timestamptz[]) AS part ("from", "to")`;
}

function ownerOf({ groupBy }: OwnersQuestion): Prisma.Sql {
  return groupBy === 'key' ? Prisma.sql`key_id` : Prisma.sql`account_id`;
}

function notOfAll({ accountId }: OwnersQuestion): Prisma.Sql {
  return accountId === undefined ? Prisma.sql`AND key_id <> ${everybody}` : Prisma.empty;
}

async function cutOfOwners(
  queries: Queries<'metering'>,
  window: SeriesWindow,
  question: OwnersQuestion,
): Promise<OwnersCut> {
  const hours = hoursIn(window);
  const days = await cutOfDays(queries, question, wholeDays(hours));
  const cut = {
    builds: days.builds,
    minutes: minutesIn(window),
    ranges: [...aroundDays(hours), ...days.ranges],
    kept: [],
    bounded: [],
  };
  const { accountId, keyIds, model, provider } = question;
  const isOfAll = [accountId, keyIds, model, provider].every((part) => part === undefined);
  if (!isOfAll || cut.ranges.length === 0) return cut;
  const rest = await cutIntoHours(queries, cut.ranges);
  const bounded = await boundedIn(queries, rest.ranges);
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

/** Blocks tell no providers apart, those of everybody no models, and those of an account only its keys. */
async function cutOfDays(
  queries: Queries<'metering'>,
  { groupBy, accountId, keyIds, model, provider }: OwnersQuestion,
  days: HourRange,
): Promise<Cut> {
  if (days.from >= days.to) return { builds: [], ranges: [] };
  const isOfBlocks =
    keyIds === undefined &&
    provider === undefined &&
    (accountId === undefined ? model === undefined : groupBy === 'key');
  if (!isOfBlocks) return { builds: [], ranges: [{ key: null, ...days }] };
  if (accountId !== undefined) return cutIntoBlocks(queries, { accountId }, days, model !== undefined);
  return cutIntoBlocks(queries, { accountId: '', keyIds: [everybody] }, days, true);
}

/** Of these, which are parts of days that everybody's blocks have. */
async function boundedIn(queries: Queries<'metering'>, ranges: readonly HourRange[]): Promise<BoundedPart[]> {
  const inDays = ranges.filter(({ from, to }) => dayOf(from) === dayOf(to - 1));
  if (inDays.length === 0) return [];
  const days = inDays.map(({ from }) => new Date(dayOf(from)));
  const blocks = await queries.$queryRaw<{ at: Date; build: bigint }[]>`
    SELECT at, build FROM usage_block WHERE key_id = ${everybody} AND account_id = '' AND days = 1
      AND at = ANY(${days}::timestamptz[]) AND ${isFresh} AND ${ofNewEdition}`;
  const builds = new Map(blocks.map(({ at, build }) => [at.getTime(), build]));
  return inDays.flatMap((range) => {
    const build = builds.get(dayOf(range.from));
    return build === undefined ? [] : [{ build, range }];
  });
}

function dayOf(time: number): number {
  return time - (time % dayMs);
}
