import { Injectable, Optional } from '@nestjs/common';
import { isStatementTimeout, Prisma } from '@tollgate/database';
import type { Statements } from '@tollgate/database';
import { Databases } from '../databases';
import { everybody } from '../ingest/everybody';

const hourMs = 3_600_000;
/** Blocks of days have what is older; a day and more they may be late. */
const keptForMs = 72 * hourMs;
/** Most usage of an hour is stored so long after it, milliseconds. */
const settledMs = 20_000;
/**
 * One that late usage changes again and again is made anew once in so long for each of its hours,
 * milliseconds.
 */
const restOfHourMs = 60_000;
/** The lengths in which they are kept, the shortest first. Eight have hardly more keys than one. */
const lengths = [1, 8] as const;
/** A turn ends after so long, that the service may stop. */
const turnMs = 2_500;

/** Of rows by hour of everybody: their versions. */
const versions = Prisma.sql`string_agg(hour.xmin::text, ' ' ORDER BY hour.at, hour.model, hour.provider)`;
const seenNow = Prisma.sql`
  SELECT ${versions} FROM usage_hour AS hour
  WHERE hour.key_id = ${everybody} AND hour.at >= made.at AND hour.at < made.at + made.hours * interval '1 hour'`;

/** Of rows of `usage_ended_hours`: that they count. */
export const isOfItsRows = Prisma.sql`made.seen = (${seenNow})`;

/** The same of `usage_ended_owners`. */
export const isOfRowsOfModel = Prisma.sql`made.seen = (${seenNow} AND hour.model = made.model)`;

const arrays = Prisma.sql`array_agg(one.key_id), array_agg(one.account_id), array_agg(one.requests), array_agg(one.cost)`;
const replaced = Prisma.sql`seen = excluded.seen, made_at = excluded.made_at, keys = excluded.keys,
  accounts = excluded.accounts, requests = excluded.requests, costs = excluded.costs`;

/** Keeps what each key used in the last hours that have ended, of all models and of each. */
@Injectable()
export class EndedHours {
  /** Until when those rest that took too long to be made, by their names, epoch milliseconds. */
  private readonly resting = new Map<string, number>();

  constructor(
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
    @Optional() private readonly restMs: number = restOfHourMs,
    @Optional() private readonly keptMs: number = keptForMs,
  ) {}

  /**
   * Makes what is missing and what late usage has changed, the newest first, for some seconds, and removes
   * what is old. Any number of instances may: what is made of an older moment does not count, and is made
   * anew.
   */
  async run(): Promise<void> {
    const nowMs = this.now();
    await this.databases.ingest.$executeRaw`
      WITH owners AS (DELETE FROM usage_ended_owners WHERE at < ${new Date(nowMs - this.keptMs)}::timestamptz)
      DELETE FROM usage_ended_hours WHERE at < ${new Date(nowMs - this.keptMs)}::timestamptz`;
    for (const [name, untilMs] of this.resting) if (untilMs <= nowMs) this.resting.delete(name);
    const beganAt = performance.now();
    for (const hours of lengths)
      for (const at of await this.missing(nowMs, hours)) {
        const name = `${hours} from ${at.getTime()}`;
        if (this.resting.has(name)) continue;
        if (!(await this.make(at, hours))) this.resting.set(name, nowMs + hours * hourMs);
        if (performance.now() - beganAt >= turnMs) return;
      }
  }

  private async missing(nowMs: number, hours: number): Promise<Date[]> {
    const lengthMs = hours * hourMs;
    const since = new Date(Math.ceil((nowMs - this.keptMs) / lengthMs) * lengthMs);
    const until = new Date(Math.floor((nowMs - settledMs) / lengthMs) * lengthMs);
    const rested = Prisma.sql`(made.at IS NULL OR made.made_at <= now() - ${hours * this.restMs}::int * interval '1 millisecond')`;
    const rows = await this.databases.ingest.$queryRaw<{ at: Date }[]>`
      WITH hour AS MATERIALIZED (
        SELECT date_bin(${hours}::int * interval '1 hour', one.at, 'epoch'::timestamptz) AS start, one.at, one.model, one.provider, one.xmin
        FROM usage_hour AS one WHERE one.key_id = ${everybody} AND one.at >= ${since}::timestamptz AND one.at < ${until}::timestamptz
      )
      SELECT found.start AS at FROM (SELECT start, ${versions} AS seen FROM hour GROUP BY start) AS found
      LEFT JOIN usage_ended_hours AS made ON made.at = found.start AND made.hours = ${hours}
      WHERE made.seen IS DISTINCT FROM found.seen AND ${rested}
      UNION
      SELECT found.start FROM (SELECT start, model, ${versions} AS seen FROM hour GROUP BY start, model) AS found
      LEFT JOIN usage_ended_owners AS made ON made.at = found.start AND made.hours = ${hours} AND made.model = found.model
      WHERE made.seen IS DISTINCT FROM found.seen AND ${rested}
      ORDER BY 1 DESC`;
    return rows.map(({ at }) => at);
  }

  /**
   * In one statement, which sees one moment. False: it took too long. It must not keep others from being
   * made, nor Postgres busy, and rests for as long as its hours are.
   */
  private async make(at: Date, hours: number): Promise<boolean> {
    const within = Prisma.sql`hour.at >= ${at}::timestamptz AND hour.at < ${new Date(at.getTime() + hours * hourMs)}::timestamptz`;
    try {
      await this.databases.ingest.$executeRaw`
        WITH hour AS MATERIALIZED (SELECT hour.*, hour.xmin FROM usage_hour AS hour WHERE hour.key_id = ${everybody} AND ${within}),
        seen AS (SELECT model, ${versions} AS versions FROM hour GROUP BY model),
        one AS MATERIALIZED (
          SELECT model, key_id, account_id, sum(requests - cached_requests)::bigint AS requests, sum(cost_nano_usd) AS cost
          FROM usage_hour AS hour WHERE ${within} AND key_id <> ${everybody} GROUP BY model, key_id, account_id
        ),
        owners AS (
          INSERT INTO usage_ended_owners AS made (model, at, hours, seen, keys, accounts, requests, costs)
          SELECT model, ${at}::timestamptz, ${hours}, max(versions), ${arrays}
          FROM (SELECT * FROM seen JOIN one USING (model) ORDER BY model, account_id, key_id) AS one GROUP BY model ORDER BY model
          ON CONFLICT (model, at, hours) DO UPDATE SET ${replaced}
        )
        INSERT INTO usage_ended_hours AS made (at, hours, seen, keys, accounts, requests, costs)
        SELECT ${at}::timestamptz, ${hours}, seen.versions, ${arrays}
        FROM (SELECT ${versions} AS versions FROM hour) AS seen
        CROSS JOIN (
          SELECT key_id, account_id, sum(requests)::bigint AS requests, sum(cost) AS cost FROM one GROUP BY key_id, account_id
        ) AS one WHERE seen.versions IS NOT NULL GROUP BY seen.versions
        ON CONFLICT (at, hours) DO UPDATE SET ${replaced}`;
      return true;
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      return false;
    }
  }
}

/** [from, to), epoch milliseconds. */
export interface HourRange {
  from: number;
  to: number;
}

/** Hours that have ended and are kept. */
export interface KeptHours {
  at: number;
  hours: number;
}

/**
 * Cuts whole hours into those that have ended and are kept, in this moment, and the rest. Of one model that
 * has no hours in which nobody used it: nothing is kept of these, and to find nothing in them takes as long.
 */
export async function cutIntoHours(
  queries: Statements,
  ranges: readonly HourRange[],
  model?: string,
): Promise<{ kept: KeptHours[]; ranges: HourRange[] }> {
  const [table, isKept] =
    model === undefined
      ? [Prisma.sql`usage_ended_hours`, isOfItsRows]
      : [Prisma.sql`usage_ended_owners`, Prisma.sql`made.model = ${model} AND ${isOfRowsOfModel}`];
  const rows = await queries.$queryRaw<{ at: Date; hours: number }[]>`
    SELECT made.at, made.hours FROM ${partsIn(ranges)}
    JOIN ${table} AS made ON made.at >= part.from AND made.at + made.hours * interval '1 hour' <= part.to
    WHERE ${isKept} ORDER BY made.at, made.hours DESC`;
  const made = rows.map(({ at, hours }) => ({ at: at.getTime(), hours }));
  const cuts = ranges.map((range) => cutRange(range, made));
  const kept = cuts.flatMap((cut) => cut.kept);
  const rest = cuts.flatMap((cut) => cut.ranges);
  return { kept, ranges: model === undefined ? rest : await usedHours(queries, rest, model) };
}

/** The hours of these in which anybody used a model. */
async function usedHours(queries: Statements, ranges: readonly HourRange[], model: string): Promise<HourRange[]> {
  if (ranges.length === 0) return [];
  const rows = await queries.$queryRaw<{ from: Date; to: Date }[]>`
    SELECT min(at) AS "from", max(at) + interval '1 hour' AS "to" FROM (
      SELECT part, at, at - row_number() OVER (PARTITION BY part ORDER BY at) * interval '1 hour' AS run FROM (
        SELECT DISTINCT part.from AS part, hour.at FROM ${partsIn(ranges)} JOIN usage_hour AS hour
        ON hour.key_id = ${everybody} AND hour.model = ${model} AND hour.at >= part.from AND hour.at < part.to
      ) AS used
    ) AS one GROUP BY part, run ORDER BY 1`;
  return rows.map(({ from, to }) => ({ from: from.getTime(), to: to.getTime() }));
}

/** As rows that have `from` and `to`. */
export function partsIn(ranges: readonly HourRange[]): Prisma.Sql {
  const times = (of: 'from' | 'to') => ranges.map((range) => new Date(range[of]));
  return Prisma.sql`unnest(${times('from')}::timestamptz[], ${times('to')}::timestamptz[]) AS part ("from", "to")`;
}

/** The longest that begins where the last one ended. */
function cutRange({ from, to }: HourRange, made: readonly KeptHours[]): { kept: KeptHours[]; ranges: HourRange[] } {
  const [kept, ranges]: [KeptHours[], HourRange[]] = [[], []];
  let end = from;
  for (const one of made) {
    if (one.at < end || one.at >= to) continue;
    if (end < one.at) ranges.push({ from: end, to: one.at });
    kept.push(one);
    end = one.at + one.hours * hourMs;
  }
  if (end < to) ranges.push({ from: end, to });
  return { kept, ranges };
}
