import { ControlError } from '@tollgate/contracts';
import type { Projects } from '@tollgate/contracts/accounts';
import type { MetricsReport, SliceDimension, SlicedReport, SlicedWindow } from '@tollgate/contracts/metering';
import type { Database, Queries } from '@tollgate/database';
import { cutIntoBlocks, cutOf, ofNewEdition } from '../blocks/cut-into-blocks';
import type { BlockOwners } from '../blocks/cut-into-blocks';
import type { ReportRequest } from '../operations';
import { ofOneMoment } from '../one-moment';
import { metricsReport, toCounters } from '../reports/metrics-report';
import type { CounterRow, MetricsQuestion } from '../reports/metrics-report';
import { reportWindow } from '../reports/report-window';
import { others } from './slice-changes';
import { modelsOf, slicesOf, wholeDays, wholeOfKeys, wholeUnits } from './slice-rows';
import type { CutWindow, KeyRow, SliceRow, SummedWindow, Which } from './slice-rows';

/** A reply must fit into one NATS message. */
const mostSlices = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The report of a key (see `metricsReport`), divided by one dimension: the most costly slices, what
 * else there is in one, and what is in none. All of it is of one moment.
 */
export async function dividedReport(
  database: Database<'metering'>,
  question: MetricsQuestion,
  dimension: SliceDimension,
  endAt: number,
): Promise<MetricsReport> {
  const { keyId, period, calendar, model } = question;
  const which = { keyIds: [keyId], dimension, model };
  return ofOneMoment(database, async (queries) => {
    const window = await withDays(queries, reportWindow(period, endAt, calendar), which);
    const report = await metricsReport(queries, question, endAt);
    return { ...report, sliced: await divided(queries, window, which, report.totals, mostSlices) };
  });
}

/**
 * What the keys of an account, or these keys, used in whole hours around a window, divided as a report is; in
 * whole days where it begins before `hoursSinceMs`.
 * @throws ControlError `invalid` for an empty window, and where it is of nobody.
 */
export async function slicedWindowOf(
  database: Database<'metering'>,
  { dimension, model, most, accountId, ...asked }: ReportRequest<'slices'>,
  hoursSinceMs: number,
): Promise<SlicedWindow> {
  if (accountId === undefined && asked.keyIds === undefined)
    throw new ControlError('invalid', 'accountId: name an account, or keys (keyIds): everybody is not divided so.');
  const { startAt, endAt, summed } = wholeWindow(asked, hoursSinceMs);
  const scope = { accountId, keyIds: asked.keyIds && [...new Set(asked.keyIds)], model };
  return ofOneMoment(database, async (queries) => {
    const window = await withDays(queries, summed, scope);
    const ofKeys = await wholeOfKeys(queries, window, scope);
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
  const { startAt, endAt, summed } = wholeWindow(asked, hoursSinceMs);
  const ofKeys = await ofOneMoment(database, async (queries) =>
    wholeOfKeys(queries, await withDays(queries, summed, { accountId, model }), { accountId, model }),
  );
  const totals = toCounters(ofKeys);
  const slices = slicesByProject(projects, ofKeys);
  const sumOf = (some: readonly SliceRow[]) => toCounters(some);
  const [told, beyond] = [slices.slice(0, most), slices.slice(most)];
  return { startAt, endAt, totals, slices: told.map(toSlice), other: sumOf(beyond), none: less(totals, sumOf(slices)) };
}

/** The projects that used something, the most costly first. */
function slicesByProject(projects: Projects, ofKeys: readonly KeyRow[]): SliceRow[] {
  const names = new Map(projects.flatMap(({ name, keyIds }) => keyIds.map((keyId) => [keyId, name] as const)));
  const slices = new Map<string, SliceRow>();
  for (const { key, ...sums } of ofKeys) {
    const name = names.get(key);
    if (name === undefined) continue;
    const slice = slices.get(name);
    slices.set(name, slice ? plus(slice, sums) : { name, ...sums });
  }
  return [...slices.values()].filter(({ requests }) => requests > 0n).sort(byCost);
}

function plus(slice: SliceRow, sums: CounterRow): SliceRow {
  return {
    name: slice.name,
    requests: slice.requests + sums.requests,
    unpriced: slice.unpriced + sums.unpriced,
    input: slice.input + sums.input,
    output: slice.output + sums.output,
    cost: (BigInt(slice.cost) + BigInt(sums.cost)).toString(),
  };
}

function byCost(one: SliceRow, other: SliceRow): number {
  const more = BigInt(other.cost) - BigInt(one.cost) || other.requests - one.requests;
  if (more !== 0n) return more > 0n ? 1 : -1;
  return one.name < other.name ? -1 : 1;
}

/**
 * Whole hours around a window; whole days where it begins before `hoursSinceMs`.
 * @throws ControlError `invalid` for an empty one.
 */
function wholeWindow(asked: { startAt: number; endAt: number }, hoursSinceMs: number) {
  const unit = asked.startAt < hoursSinceMs ? dayMs : hourMs;
  const summed = wholeUnits(asked.startAt, asked.endAt, unit);
  const { start: startAt, end: endAt } = summed;
  if (startAt >= endAt) throw new ControlError('invalid', 'The window is empty: startAt must be before endAt.');
  return { startAt, endAt, summed };
}

/** What the whole days of a window are read from. */
export async function withDays(
  queries: Queries<'metering'>,
  window: SummedWindow,
  { model, ...owners }: BlockOwners & { model?: string | undefined },
): Promise<CutWindow> {
  const wanted = model === undefined ? undefined : ofNewEdition;
  return { ...window, days: await cutIntoBlocks(queries, owners, wholeDays(window), wanted) };
}

/** The slices of a whole, the most costly, and the rest of it. */
async function divided(
  queries: Queries<'metering'>,
  window: CutWindow,
  which: Which & { dimension: SliceDimension },
  whole: MetricsReport['totals'],
  most: number,
): Promise<SlicedReport> {
  const { slices, named } = await slicesOf(queries, window, which, most);
  // What has several tags is in several slices, so what has none is not what they leave of the whole.
  const tagged =
    which.dimension === 'tag' ? await slicesOf(queries, window, { ...which, dimension: 'tagged' }, 1) : null;
  return {
    slices: slices.map(toSlice),
    other: less(toCounters(named), toCounters(slices)),
    none: less(whole, toCounters(tagged?.named ?? named)),
  };
}

function toSlice(row: SliceRow): SlicedReport['slices'][number] {
  return { name: row.name, ...toCounters([row]) };
}

/** The report of what a key used for one end user, session, agent or tag. */
export function reportOfSlice(
  database: Database<'metering'>,
  question: MetricsQuestion,
  { dimension, name }: { dimension: SliceDimension; name: string },
  endAt: number,
): Promise<MetricsReport> {
  const { keyId, period, calendar, model } = question;
  const summed = reportWindow(period, endAt, calendar);
  const window = { ...summed, days: cutOf([], { keyIds: [keyId] }, wholeDays(summed)) };
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

function less(whole: MetricsReport['totals'], part: MetricsReport['totals']): MetricsReport['totals'] {
  return {
    requests: whole.requests - part.requests,
    unpricedRequests: whole.unpricedRequests - part.unpricedRequests,
    inputTokens: whole.inputTokens - part.inputTokens,
    outputTokens: whole.outputTokens - part.outputTokens,
    costNanoUsd: (BigInt(whole.costNanoUsd) - BigInt(part.costNanoUsd)).toString(),
  };
}
