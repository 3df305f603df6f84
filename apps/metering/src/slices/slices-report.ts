import type { MetricsReport, SliceDimension, SlicedReport } from '@tollgate/contracts';
import { Prisma } from '@tollgate/database';
import type { Database, Queries } from '@tollgate/database';
import { metricsReport, toCounters } from '../reports/metrics-report';
import type { CounterRow, MetricsQuestion } from '../reports/metrics-report';
import { reportWindow } from '../reports/report-window';
import type { ReportWindow } from '../reports/report-window';
import { anyTag, others } from './slice-changes';
import type { SummedDimension } from './slice-changes';

/** A reply must fit into one NATS message. */
const mostSlices = 1_000;
const dayMs = 86_400_000;

/** Which sums are read. `name` undefined: of all names. */
interface Which {
  keyId: string;
  dimension: SummedDimension;
  model?: string | undefined;
  name?: string | undefined;
}

/**
 * The report of a key (see `metricsReport`), divided by one dimension: the most costly slices, what
 * else there is in one, and what is in none. All of it is of one moment.
 */
export function dividedReport(
  database: Database<'metering'>,
  question: MetricsQuestion,
  dimension: SliceDimension,
  endAt: number,
): Promise<MetricsReport> {
  const { keyId, period, calendar, model } = question;
  const window = reportWindow(period, endAt, calendar);
  return ofOneMoment(database, async (queries) => {
    const report = await metricsReport(queries, question, endAt);
    const rows = await slicesOf(queries, window, { keyId, dimension, model });
    // What has several tags is in several slices, so what has none is not what they leave of the whole.
    const inSlices =
      dimension === 'tag' ? await slicesOf(queries, window, { keyId, dimension: 'tagged', model }) : rows;
    const sliced: SlicedReport = {
      slices: rows.filter(({ name }) => name !== others).map((row) => ({ name: row.name, ...toCounters([row]) })),
      other: toCounters(rows.filter(({ name }) => name === others)),
      none: less(report.totals, toCounters(inSlices)),
    };
    return { ...report, sliced };
  });
}

/** The report of what a key used for one end user, session, agent or tag. */
export function reportOfSlice(
  database: Database<'metering'>,
  question: MetricsQuestion,
  { dimension, name }: { dimension: SliceDimension; name: string },
  endAt: number,
): Promise<MetricsReport> {
  const { keyId, period, calendar, model } = question;
  const window = reportWindow(period, endAt, calendar);
  const which = { keyId, dimension, model };
  return ofOneMoment(database, async (queries) => {
    const rows = await modelsOf(queries, window, { ...which, name });
    const other = toCounters(await modelsOf(queries, window, { ...which, name: others }));
    return {
      startAt: window.start,
      endAt,
      totals: toCounters(rows),
      byModel: rows.map((row) => ({ model: row.model, ...toCounters([row]) })),
      sliced: { slices: [], other, none: toCounters([]) },
    };
  });
}

function ofOneMoment<Result>(
  database: Database<'metering'>,
  work: (queries: Queries<'metering'>) => Promise<Result>,
): Promise<Result> {
  return database.$transaction(work, { isolationLevel: 'RepeatableRead' });
}

function less(whole: MetricsReport['totals'], part: MetricsReport['totals']): MetricsReport['totals'] {
  return {
    requests: whole.requests - part.requests,
    unpricedRequests: whole.unpricedRequests - part.unpricedRequests,
    inputTokens: whole.inputTokens - part.inputTokens,
    outputTokens: whole.outputTokens - part.outputTokens,
    costNanoUsd: (BigInt(whole.costNanoUsd) - BigInt(part.costNanoUsd)).toString(),
  };
}

/** The slices of a window, the most costly first; those beyond the most are added to the others. */
function slicesOf(
  queries: Queries<'metering'>,
  window: ReportWindow,
  which: Which,
): Promise<(CounterRow & { name: string })[]> {
  return queries.$queryRaw`
    WITH part AS (${partsOf(window, which)}),
    slice AS (
      SELECT name, ${sums}, row_number() OVER (ORDER BY name = ${others}, sum(cost_nano_usd) DESC, sum(requests) DESC, name COLLATE "C") AS place
      FROM part GROUP BY name HAVING sum(requests) > 0
    )
    SELECT CASE WHEN place > ${mostSlices} THEN ${others} ELSE name END AS name, sum(requests)::bigint AS requests,
      sum(unpriced)::bigint AS unpriced, sum(input)::bigint AS input, sum(output)::bigint AS output, sum(cost)::text AS cost
    FROM slice GROUP BY 1 ORDER BY min(place)`;
}

/** What one slice used, by model, as `metricsReport` has them. */
function modelsOf(
  queries: Queries<'metering'>,
  window: ReportWindow,
  which: Which,
): Promise<(CounterRow & { model: string })[]> {
  return queries.$queryRaw`
    WITH part AS (${partsOf(window, which)}),
    slice AS (SELECT model, ${sums} FROM part GROUP BY model HAVING sum(requests) > 0)
    SELECT model, requests, unpriced, input, output, cost::text FROM slice ORDER BY slice.cost DESC, model COLLATE "C"`;
}

const sums = Prisma.sql`sum(requests)::bigint AS requests, sum(unpriced)::bigint AS unpriced, sum(input_tokens)::bigint AS input,
  sum(output_tokens)::bigint AS output, coalesce(sum(cost_nano_usd), 0) AS cost`;

/** What an event says, as a table of names. */
const saidNames: Record<SummedDimension, Prisma.Sql> = {
  end_user: Prisma.sql`SELECT end_user AS name`,
  session: Prisma.sql`SELECT session AS name`,
  agent: Prisma.sql`SELECT agent AS name`,
  tag: Prisma.sql`SELECT DISTINCT unnest(tags) AS name`,
  tagged: Prisma.sql`SELECT ${anyTag}::text AS name WHERE cardinality(tags) > 0`,
};

/** Whole days and hours from their sums, the ragged edges of the window from events. */
function partsOf({ start, firstHour, lastHour, end }: ReportWindow, which: Which): Prisma.Sql {
  const { keyId, dimension, model, name } = which;
  const at = (time: number) => Prisma.sql`${new Date(time)}::timestamptz`;
  const firstDay = Math.min(Math.ceil(firstHour / dayMs) * dayMs, lastHour);
  const lastDay = Math.max(lastHour - (lastHour % dayMs), firstDay);
  const ofModel = model === undefined ? Prisma.empty : Prisma.sql`AND model = ${model}`;
  const ofName = name === undefined ? Prisma.empty : Prisma.sql`AND name = ${name}`;
  const summed = Prisma.sql`SELECT name, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd`;
  const whose = Prisma.sql`key_id = ${keyId} AND dimension = ${dimension} ${ofModel} ${ofName}`;
  return Prisma.sql`
    SELECT name, model, 1 AS requests, (cost_nano_usd IS NULL)::int AS unpriced, input_tokens, output_tokens, cost_nano_usd
    FROM usage_event CROSS JOIN LATERAL (${saidNames[dimension]}) AS said
    WHERE key_id = ${keyId} AND NOT cached AND name IS NOT NULL ${ofModel} ${ofName} AND (
      ended_at >= ${at(start)} AND ended_at < ${at(firstHour)} OR ended_at >= ${at(lastHour)} AND ended_at < ${at(end)})
    UNION ALL
    ${summed} FROM usage_slice_hour WHERE ${whose} AND (
      at >= ${at(firstHour)} AND at < ${at(firstDay)} OR at >= ${at(lastDay)} AND at < ${at(lastHour)})
    UNION ALL
    ${summed} FROM usage_slice_day WHERE ${whose} AND at >= ${at(firstDay)} AND at < ${at(lastDay)}`;
}
