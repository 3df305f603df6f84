import { ControlError } from '@tollgate/contracts';
import type { MetricsReport, SliceDimension, SlicedReport, SlicedWindow } from '@tollgate/contracts';
import { Prisma } from '@tollgate/database';
import type { Database, Queries } from '@tollgate/database';
import type { ReportRequest } from '../operations';
import { metricsReport, toCounters } from '../reports/metrics-report';
import type { CounterRow, MetricsQuestion } from '../reports/metrics-report';
import { reportWindow } from '../reports/report-window';
import type { ReportWindow } from '../reports/report-window';
import { scopeConditions } from '../reports/scope';
import type { Scope } from '../reports/scope';
import { anyTag, others } from './slice-changes';
import type { SummedDimension } from './slice-changes';

/** A reply must fit into one NATS message. */
const mostSlices = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Whole hours in the middle, single events around them. */
type SummedWindow = Pick<ReportWindow, 'start' | 'firstHour' | 'lastHour' | 'end'>;

/** Which sums are read. `name` undefined: of all names. */
interface Which {
  keyIds: readonly string[];
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
    const which = { keyIds: [keyId], model };
    return { ...report, sliced: await divided(queries, window, { ...which, dimension }, report.totals, mostSlices) };
  });
}

/**
 * What the keys of an account, or these keys, used in whole hours around a window, divided as a report is; in
 * whole days where it begins before `hoursSinceMs`.
 */
export async function slicedWindowOf(
  database: Database<'metering'>,
  { dimension, model, most, ...asked }: ReportRequest<'slices'>,
  hoursSinceMs: number,
): Promise<SlicedWindow> {
  const { startAt, endAt } = wholeWindow(asked, hoursSinceMs);
  const window = { start: startAt, firstHour: startAt, lastHour: endAt, end: endAt };
  return ofOneMoment(database, async (queries) => {
    const { accountId } = asked;
    const named = asked.keyIds ?? (accountId === undefined ? [] : undefined);
    // Read once: of a large account the sums of its keys are most of what there is to read.
    const ofKeys = await wholeOfKeys(queries, window, { keyIds: named, accountId, model });
    const keyIds = ofKeys.map(({ key }) => key);
    const totals = toCounters(ofKeys);
    return { startAt, endAt, totals, ...(await divided(queries, window, { keyIds, dimension, model }, totals, most)) };
  });
}

/** What the projects of an account used in whole hours around a window, as `slicedWindowOf`. */
export async function projectsWindowOf(
  database: Database<'metering'>,
  { accountId, projects, model, most, ...asked }: ReportRequest<'projects'>,
  hoursSinceMs: number,
): Promise<SlicedWindow> {
  const { startAt, endAt } = wholeWindow(asked, hoursSinceMs);
  const window = { start: startAt, end: endAt };
  const keyIds = projects.flatMap((project) => project.keyIds);
  const names = projects.flatMap(({ name, keyIds: own }) => own.map(() => name));
  return ofOneMoment(database, async (queries) => {
    const totals = toCounters(await wholeOf(queries, window, { accountId, model }));
    const part = Prisma.sql`
      SELECT name, requests - cached_requests AS requests, unpriced, input_tokens, output_tokens, cost_nano_usd
      FROM usage_hour JOIN unnest(${keyIds}::text[], ${names}::text[]) AS of_project (key_id, name) USING (key_id)
      WHERE ${within(window)} ${scopeConditions({ accountId, model })}`;
    const rows = await mostCostly(queries, part, most);
    return { startAt, endAt, totals, ...slicedOf(rows, less(totals, toCounters(rows))) };
  });
}

/**
 * Whole hours around a window; whole days where it begins before `hoursSinceMs`.
 * @throws ControlError `invalid` for an empty one.
 */
function wholeWindow(asked: { startAt: number; endAt: number }, hoursSinceMs: number) {
  const unit = asked.startAt < hoursSinceMs ? dayMs : hourMs;
  const startAt = asked.startAt - (asked.startAt % unit);
  const endAt = Math.ceil(asked.endAt / unit) * unit;
  if (startAt >= endAt) throw new ControlError('invalid', 'The window is empty: startAt must be before endAt.');
  return { startAt, endAt };
}

function within({ start, end }: Pick<SummedWindow, 'start' | 'end'>): Prisma.Sql {
  return Prisma.sql`at >= ${new Date(start)}::timestamptz AND at < ${new Date(end)}::timestamptz`;
}

const wholeSums = Prisma.sql`coalesce(sum(requests - cached_requests), 0)::bigint AS requests, coalesce(sum(unpriced), 0)::bigint AS unpriced,
  coalesce(sum(input_tokens), 0)::bigint AS input, coalesce(sum(output_tokens), 0)::bigint AS output,
  coalesce(sum(cost_nano_usd), 0)::text AS cost`;

/** What keys used in whole hours, each key that did. */
function wholeOfKeys(
  queries: Queries<'metering'>,
  window: Pick<SummedWindow, 'start' | 'end'>,
  scope: Pick<Scope, 'keyIds' | 'accountId' | 'model'>,
): Promise<(CounterRow & { key: string })[]> {
  return queries.$queryRaw`
    SELECT key_id AS key, ${wholeSums} FROM usage_hour WHERE ${within(window)} ${scopeConditions(scope)} GROUP BY key_id`;
}

/** The same of all of them together. */
function wholeOf(
  queries: Queries<'metering'>,
  window: Pick<SummedWindow, 'start' | 'end'>,
  scope: Pick<Scope, 'keyIds' | 'accountId' | 'model'>,
): Promise<CounterRow[]> {
  return queries.$queryRaw`
    SELECT ${wholeSums}
    FROM usage_hour WHERE ${within(window)} ${scopeConditions(scope)}`;
}

/** The slices of a whole, the most costly, and the rest of it. */
async function divided(
  queries: Queries<'metering'>,
  window: SummedWindow,
  which: Which & { dimension: SliceDimension },
  whole: MetricsReport['totals'],
  most: number,
): Promise<SlicedReport> {
  const rows = await slicesOf(queries, window, which, most);
  // What has several tags is in several slices, so what has none is not what they leave of the whole.
  const inSlices =
    which.dimension === 'tag' ? await slicesOf(queries, window, { ...which, dimension: 'tagged' }, most) : rows;
  return slicedOf(rows, less(whole, toCounters(inSlices)));
}

function slicedOf(rows: readonly SliceRow[], none: MetricsReport['totals']): SlicedReport {
  return {
    slices: rows.filter(({ name }) => name !== others).map((row) => ({ name: row.name, ...toCounters([row]) })),
    other: toCounters(rows.filter(({ name }) => name === others)),
    none,
  };
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
  const which = { keyIds: [keyId], dimension, model };
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

type SliceRow = CounterRow & { name: string };

/** The slices of a window, the most costly first; those beyond the most are added to the others. */
function slicesOf(queries: Queries<'metering'>, window: SummedWindow, which: Which, most: number): Promise<SliceRow[]> {
  return mostCostly(queries, partsOf(window, which), most);
}

/** The same of rows of sums, each with the name of its slice. */
function mostCostly(queries: Queries<'metering'>, part: Prisma.Sql, most: number): Promise<SliceRow[]> {
  return queries.$queryRaw`
    WITH part AS (${part}),
    slice AS (
      SELECT name, ${sums}, row_number() OVER (
        ORDER BY name = ${others}, coalesce(sum(cost_nano_usd), 0) DESC, sum(requests) DESC, name COLLATE "C"
      ) AS place
      FROM part GROUP BY name HAVING sum(requests) > 0
    )
    SELECT CASE WHEN place > ${most} THEN ${others} ELSE name END AS name, sum(requests)::bigint AS requests,
      sum(unpriced)::bigint AS unpriced, sum(input)::bigint AS input, sum(output)::bigint AS output, sum(cost)::text AS cost
    FROM slice GROUP BY 1 ORDER BY min(place)`;
}

/** What one slice used, by model, as `metricsReport` has them. */
function modelsOf(
  queries: Queries<'metering'>,
  window: SummedWindow,
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
function partsOf({ start, firstHour, lastHour, end }: SummedWindow, which: Which): Prisma.Sql {
  const { keyIds, dimension, model, name } = which;
  const at = (time: number) => Prisma.sql`${new Date(time)}::timestamptz`;
  const firstDay = Math.min(Math.ceil(firstHour / dayMs) * dayMs, lastHour);
  const lastDay = Math.max(lastHour - (lastHour % dayMs), firstDay);
  const ofModel = model === undefined ? Prisma.empty : Prisma.sql`AND model = ${model}`;
  const ofName = name === undefined ? Prisma.empty : Prisma.sql`AND name = ${name}`;
  const summed = Prisma.sql`SELECT name, model, requests, unpriced, input_tokens, output_tokens, cost_nano_usd`;
  const whose = Prisma.sql`key_id = ANY(${keyIds}) AND dimension = ${dimension} ${ofModel} ${ofName}`;
  return Prisma.sql`
    SELECT name, model, 1 AS requests, (cost_nano_usd IS NULL)::int AS unpriced, input_tokens, output_tokens, cost_nano_usd
    FROM usage_event CROSS JOIN LATERAL (${saidNames[dimension]}) AS said
    WHERE key_id = ANY(${keyIds}) AND NOT cached AND name IS NOT NULL ${ofModel} ${ofName} AND (
      ended_at >= ${at(start)} AND ended_at < ${at(firstHour)} OR ended_at >= ${at(lastHour)} AND ended_at < ${at(end)})
    UNION ALL
    ${summed} FROM usage_slice_hour WHERE ${whose} AND (
      at >= ${at(firstHour)} AND at < ${at(firstDay)} OR at >= ${at(lastDay)} AND at < ${at(lastHour)})
    UNION ALL
    ${summed} FROM usage_slice_day WHERE ${whose} AND at >= ${at(firstDay)} AND at < ${at(lastDay)}`;
}
