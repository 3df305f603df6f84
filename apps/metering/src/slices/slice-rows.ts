import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import type { Cut, RowRange } from '../blocks/cut-into-blocks';
import type { CounterRow } from '../reports/metrics-report';
import type { ReportWindow } from '../reports/report-window';
import { scopeConditions } from '../reports/scope';
import type { Scope } from '../reports/scope';
import { anyTag, others } from './slice-changes';
import type { SummedDimension } from './slice-changes';

const dayMs = 86_400_000;
/**
 * The most costly of a report are looked for among so many names of each block, the most costly of these, and
 * all names of the days that are in none. Whatever is found is added up over all of its rows.
 */
const leadingNames = 1_000;
/** So many more names than are asked for are added up: their place may be another then. */
const spareNames = 100;
/** To look a name up takes as long as to read so many rows one after the other. */
const rowsForLookup = 4;

/** Whole hours in the middle, single events around them. */
export type SummedWindow = Pick<ReportWindow, 'start' | 'firstHour' | 'lastHour' | 'end'>;
/** The same with what its whole days are read from. */
export type CutWindow = SummedWindow & { days: Cut };

/** Which sums are read. `name` undefined: of all names. */
export interface Which {
  keyIds: readonly string[];
  dimension: SummedDimension;
  model?: string | undefined;
  name?: string | undefined;
}

export type SliceRow = CounterRow & { name: string };
export type KeyRow = CounterRow & { key: string };

/** Whole hours, or other units (milliseconds), around a time. */
export function wholeUnits(startAt: number, endAt: number, unitMs: number): SummedWindow {
  const [start, end] = [startAt - (startAt % unitMs), Math.ceil(endAt / unitMs) * unitMs];
  return { start, firstHour: start, lastHour: end, end };
}

/** The whole days (UTC) within the whole hours of a window; none where `from` is `to`. */
export function wholeDays({ firstHour, lastHour }: SummedWindow): { from: number; to: number } {
  const from = Math.min(Math.ceil(firstHour / dayMs) * dayMs, lastHour);
  return { from, to: Math.max(lastHour - (lastHour % dayMs), from) };
}

/** The whole hours of a window before its whole days, and after them; what is empty is left out. */
export function aroundDays(window: SummedWindow): { from: number; to: number }[] {
  const { from, to } = wholeDays(window);
  return [
    { from: window.firstHour, to: from },
    { from: to, to: window.lastHour },
  ].filter((part) => part.from < part.to);
}

/** What the keys of a scope used in the whole hours of a window, each key that did. */
export function wholeOfKeys(
  queries: Queries<'metering'>,
  { days, ...window }: CutWindow,
  { keyIds, ...scope }: Pick<Scope, 'keyIds' | 'accountId' | 'model'>,
): Promise<KeyRow[]> {
  const around = aroundDays(window);
  const edges = (keyIds ?? [null]).flatMap((key) => around.map((part) => ({ key, ...part })));
  const ofKey = keyIds ? Prisma.sql`AND key_id = part.key` : Prisma.empty;
  const { blockSum, ofModel } = blockSums(scope.model);
  return queries.$queryRaw`
    SELECT key, ${sums}
    FROM (
      SELECT hour.* FROM ${rangesOf([...edges, ...days.ranges])} CROSS JOIN LATERAL (
        SELECT key_id AS key, requests - cached_requests AS requests, unpriced, input_tokens, output_tokens, cost_nano_usd
        FROM usage_hour WHERE at >= part.from AND at < part.to ${ofKey} ${scopeConditions(scope)} OFFSET 0
      ) AS hour
      UNION ALL
      SELECT name, requests, unpriced, input_tokens, output_tokens, cost_nano_usd FROM ${blockSum}
      WHERE build = ANY(${days.builds}::bigint[]) AND dimension = 'key' ${ofModel}
    ) AS one GROUP BY key`;
}

/**
 * The slices of a window, the most costly first, and what all of these and those beyond them come to, told
 * apart or not: what has several tags counts in each.
 */
export async function slicesOf(
  queries: Queries<'metering'>,
  window: CutWindow,
  which: Which,
  most: number,
): Promise<{ slices: SliceRow[]; named: CounterRow[] }> {
  const { dimension } = which;
  const { blockSum, ofModel } = blockSums(which.model);
  const builds = Prisma.sql`${window.days.builds}::bigint[]`;
  const fields = Prisma.sql`requests, unpriced, input_tokens, output_tokens, cost_nano_usd`;
  const candidates = 2 * most + spareNames;
  const readWhole = leadingNames + rowsForLookup * candidates;
  const byCost = Prisma.sql`sum(cost_nano_usd) DESC, sum(requests) DESC, name COLLATE "C"`;
  const rows = await queries.$queryRaw<(CounterRow & { name: string | null })[]>`
    WITH part AS MATERIALIZED (
      SELECT name, ${summed} FROM (${partsOf(window, which)}) AS one GROUP BY name
    ),
    head AS MATERIALIZED (
      SELECT name, ${fields} FROM ${blockSum} WHERE build = ANY(${builds}) ${ofModel} AND dimension = ${dimension} AND place <= ${leadingNames}
    ),
    named AS MATERIALIZED (
      SELECT build, place, ${fields} FROM ${blockSum} WHERE build = ANY(${builds}) ${ofModel} AND dimension = 'named' AND name = ${dimension}
    ),
    candidate AS MATERIALIZED (
      SELECT name FROM (SELECT * FROM part WHERE name <> ${others} UNION ALL SELECT * FROM head) AS one
      GROUP BY name HAVING sum(requests) > 0 ORDER BY ${byCost} LIMIT ${candidates}
    ),
    slice AS (
      SELECT name, ${summed} FROM (
        SELECT * FROM part UNION ALL SELECT * FROM head
        UNION ALL SELECT further.* FROM named CROSS JOIN LATERAL (
          SELECT name, ${fields} FROM ${blockSum} AS sum
          WHERE sum.build = named.build ${ofModel} AND dimension = ${dimension} AND sum.place > ${leadingNames} OFFSET 0
        ) AS further WHERE named.place > ${leadingNames} AND named.place <= ${readWhole}
        UNION ALL SELECT further.* FROM candidate CROSS JOIN named CROSS JOIN LATERAL (
          SELECT name, ${fields} FROM ${blockSum} AS sum
          WHERE sum.build = named.build ${ofModel} AND dimension = ${dimension} AND sum.name = candidate.name AND sum.place > ${leadingNames} OFFSET 0
        ) AS further WHERE named.place > ${readWhole}
      ) AS one WHERE name IN (SELECT name FROM candidate) GROUP BY name HAVING sum(requests) > 0 ORDER BY ${byCost} LIMIT ${most}
    )
    SELECT name, requests, unpriced, input_tokens AS input, output_tokens AS output, cost_nano_usd::text AS cost FROM slice
    UNION ALL
    SELECT NULL, ${sums} FROM (SELECT ${fields} FROM part UNION ALL SELECT ${fields} FROM named) AS one`;
  const slices = rows.flatMap(({ name, ...row }) => (name === null ? [] : [{ name, ...row }]));
  return { slices, named: rows.filter(({ name }) => name === null) };
}

/** What one slice used, by model, as `metricsReport` has them. */
export function modelsOf(
  queries: Queries<'metering'>,
  window: CutWindow,
  which: Which,
): Promise<(CounterRow & { model: string })[]> {
  return queries.$queryRaw`
    SELECT model, ${sums} FROM (${partsOf(window, which)}) AS part
    GROUP BY model HAVING sum(requests) > 0 ORDER BY coalesce(sum(cost_nano_usd), 0) DESC, model COLLATE "C"`;
}

const summed = Prisma.sql`sum(requests)::bigint AS requests, sum(unpriced)::bigint AS unpriced, sum(input_tokens)::bigint AS input_tokens,
  sum(output_tokens)::bigint AS output_tokens, coalesce(sum(cost_nano_usd), 0) AS cost_nano_usd`;

/** The same as `CounterRow` has them, 0 where there is nothing. */
const sums = Prisma.sql`coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(unpriced), 0)::bigint AS unpriced,
  coalesce(sum(input_tokens), 0)::bigint AS input, coalesce(sum(output_tokens), 0)::bigint AS output,
  coalesce(sum(cost_nano_usd), 0)::text AS cost`;

/** What an event says, as a table of names. */
const saidNames: Record<SummedDimension, Prisma.Sql> = {
  end_user: Prisma.sql`SELECT end_user AS name`,
  session: Prisma.sql`SELECT session AS name`,
  agent: Prisma.sql`SELECT agent AS name`,
  tag: Prisma.sql`SELECT DISTINCT unnest(tags) AS name`,
  tagged: Prisma.sql`SELECT ${anyTag}::text AS name WHERE cardinality(tags) > 0`,
};

/** What holds the sums of blocks of a model (undefined: of all), and its condition. */
function blockSums(model: string | undefined): { blockSum: Prisma.Sql; ofModel: Prisma.Sql } {
  return model === undefined
    ? { blockSum: Prisma.sql`usage_block_sum`, ofModel: Prisma.empty }
    : { blockSum: Prisma.sql`usage_block_model_sum`, ofModel: Prisma.sql`AND model = ${model}` };
}

/** As the table `part`. */
function rangesOf(ranges: readonly RowRange[]): Prisma.Sql {
  const times = (of: 'from' | 'to') => ranges.map((range) => new Date(range[of]));
  return Prisma.sql`unnest(${ranges.map(({ key }) => key ?? '')}::text[], ${times('from')}::timestamptz[], ${times('to')}::timestamptz[]) AS part (key, "from", "to")`;
}

/** Days that are in no block and hours from their rows, the ragged edges of the window from events. */
function partsOf(window: CutWindow, which: Which): Prisma.Sql {
  const { start, firstHour, lastHour, end, days } = window;
  const { keyIds, dimension, model, name } = which;
  const at = (time: number) => Prisma.sql`${new Date(time)}::timestamptz`;
  const { from, to } = wholeDays(window);
  const ofModel = model === undefined ? Prisma.empty : Prisma.sql`AND model = ${model}`;
  const ofName = name === undefined ? Prisma.empty : Prisma.sql`AND name = ${name}`;
  const fields = Prisma.sql`name, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd`;
  return Prisma.sql`
    SELECT name, model, 1 AS requests, (cost_nano_usd IS NULL)::int AS unpriced, input_tokens, output_tokens, cost_nano_usd
    FROM usage_event CROSS JOIN LATERAL (${saidNames[dimension]}) AS said
    WHERE key_id = ANY(${keyIds}) AND NOT cached AND name IS NOT NULL ${ofModel} ${ofName} AND (
      ended_at >= ${at(start)} AND ended_at < ${at(firstHour)} OR ended_at >= ${at(lastHour)} AND ended_at < ${at(end)})
    UNION ALL
    SELECT ${fields} FROM usage_slice_hour WHERE key_id = ANY(${keyIds}) AND dimension = ${dimension} ${ofModel} ${ofName} AND (
      at >= ${at(firstHour)} AND at < ${at(from)} OR at >= ${at(to)} AND at < ${at(lastHour)})
    UNION ALL
    SELECT day.* FROM ${rangesOf(days.ranges)}
    CROSS JOIN LATERAL unnest(CASE part.key WHEN '' THEN ${keyIds}::text[] ELSE ARRAY[part.key] END) AS wanted
    CROSS JOIN LATERAL (
      SELECT ${fields} FROM usage_slice_day
      WHERE key_id = wanted AND dimension = ${dimension} AND at >= part.from AND at < part.to ${ofModel} ${ofName} OFFSET 0
    ) AS day`;
}
