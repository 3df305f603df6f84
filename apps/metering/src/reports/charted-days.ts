import type { Statements } from '@tollgate/database';
import { isFresh, ofNewEdition } from '../blocks/cut-into-blocks';
import { entry } from '../ingest/fold-rows';
import { dayMinutes, dayMs } from './series-days';
import type { ChartedDay, DayRange } from './series-days';
import { cutHours } from './series-window';
import type { SeriesWindow } from './series-window';

/** Whose blocks are looked for, and which of their days. */
export interface ChartedBlocks {
  /** Everybody's, of the account '', or empty: of all keys of an account. */
  keyId: string;
  accountIds: readonly string[];
  /** Whose lines are read. */
  dimension: 'all' | 'key' | 'account';
  /** By default all whole days of the window are. */
  isAsked?: (day: number) => boolean;
}

/** Days (UTC), by their starts. */
export type ChartedDays = Map<number, ChartedDay>;

/** The days of a window that blocks of these accounts have which count in this moment, by account. */
export async function chartedDays(
  queries: Statements,
  asked: ChartedBlocks,
  window: SeriesWindow,
): Promise<Map<string, ChartedDays>> {
  const ofAccounts = new Map(asked.accountIds.map((accountId) => [accountId, new Map<number, ChartedDay>()]));
  const days = wholeDaysOf(window).filter(asked.isAsked ?? (() => true));
  if (days.length === 0) return ofAccounts;
  const isAsked = new Set(days);
  for (const { accountId, at, build } of await longBlocks(queries, asked, window)) {
    const charted = { lines: null, isCut: false, points: build };
    for (let day = at.getTime(); day < at.getTime() + 16 * dayMs; day += dayMs)
      if (isAsked.has(day)) ofAccounts.get(accountId)?.set(day, charted);
  }
  const cutDays = new Set(cutHours(window).map((hour) => hour - (hour % dayMs)));
  const missing = [...ofAccounts].flatMap(([accountId, known]) =>
    rangesOf(days.filter((day) => cutDays.has(day) || !known.has(day))).map((range) => ({ accountId, ...range })),
  );
  for (const { accountId, at, build, isCut } of await shortBlocks(queries, asked, missing, cutDays.size > 0)) {
    const ofAccount = entry(ofAccounts, accountId, () => new Map<number, ChartedDay>());
    const points = ofAccount.get(at.getTime())?.points ?? null;
    if (isAsked.has(at.getTime())) ofAccount.set(at.getTime(), { lines: build, isCut, points });
  }
  return ofAccounts;
}

interface FreshBlock {
  accountId: string;
  at: Date;
  build: bigint;
}

/** Of 16 days, with points of these lines. */
function longBlocks(
  queries: Statements,
  { keyId, accountIds, dimension }: ChartedBlocks,
  { from, to }: SeriesWindow,
): Promise<FreshBlock[]> {
  return queries.$queryRaw`
    SELECT account_id AS "accountId", at, build FROM usage_block
    WHERE key_id = ${keyId} AND account_id = ANY(${accountIds}::text[]) AND days = 16 AND ${isFresh} AND ${ofNewEdition}
      AND at > ${new Date(from - 16 * dayMs)}::timestamptz AND at < ${new Date(to)}::timestamptz
      AND EXISTS (
        SELECT FROM usage_block_points AS points
        WHERE points.build = usage_block.build AND until = ${dayMinutes} AND dimension = ${dimension}
      ) ORDER BY at`;
}

/** Of one day, in these ranges of days of accounts. `isCut`: they have points, which are asked for. */
function shortBlocks(
  queries: Statements,
  { keyId }: ChartedBlocks,
  ranges: readonly (DayRange & { accountId: string })[],
  asksPoints: boolean,
): Promise<(FreshBlock & { isCut: boolean })[]> {
  if (ranges.length === 0) return Promise.resolve([]);
  const times = (of: 'from' | 'to') => ranges.map((range) => new Date(range[of]));
  return queries.$queryRaw`
    SELECT range.account AS "accountId", block.*
    FROM unnest(${ranges.map(({ accountId }) => accountId)}::text[], ${times('from')}::timestamptz[], ${times('to')}::timestamptz[])
      AS range (account, "from", "to")
    CROSS JOIN LATERAL (
      SELECT at, build, ${asksPoints}::boolean AND EXISTS (
          SELECT FROM usage_block_points AS points WHERE points.build = usage_block.build AND until = ${dayMinutes} AND dimension = 'all'
        ) AS "isCut"
      FROM usage_block WHERE key_id = ${keyId} AND account_id = range.account AND days = 1 AND ${isFresh} AND ${ofNewEdition}
        AND at >= range.from AND at < range.to OFFSET 0
    ) AS block ORDER BY at`;
}

function wholeDaysOf({ from, to }: SeriesWindow): number[] {
  const first = Math.ceil(from / dayMs) * dayMs;
  const count = Math.max(0, Math.floor((to - first) / dayMs));
  return Array.from({ length: count }, (_, place) => first + place * dayMs);
}

/** Days, oldest first, as ranges of days that follow one another. */
function rangesOf(days: readonly number[]): DayRange[] {
  const ranges: DayRange[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last?.to === day) last.to = day + dayMs;
    else ranges.push({ from: day, to: day + dayMs });
  }
  return ranges;
}
