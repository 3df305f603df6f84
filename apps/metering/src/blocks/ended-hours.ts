import { Injectable, Optional } from '@nestjs/common';
import { isStatementTimeout, Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
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

/** Of rows of `usage_ended_hours`: that they count. */
export const isOfItsRows = Prisma.sql`made.seen = (
  SELECT ${versions} FROM usage_hour AS hour
  WHERE hour.key_id = ${everybody} AND hour.at >= made.at AND hour.at < made.at + made.hours * interval '1 hour')`;

/** Keeps what each key used in the last hours that have ended. */
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
    const rows = await this.databases.ingest.$queryRaw<{ at: Date }[]>`
      SELECT found.at FROM (
        SELECT date_bin(${hours}::int * interval '1 hour', hour.at, 'epoch'::timestamptz) AS at, ${versions} AS seen FROM usage_hour AS hour
        WHERE hour.key_id = ${everybody} AND hour.at >= ${since}::timestamptz AND hour.at < ${until}::timestamptz GROUP BY 1
      ) AS found LEFT JOIN usage_ended_hours AS made ON made.at = found.at AND made.hours = ${hours}
      WHERE made.seen IS DISTINCT FROM found.seen
        AND (made.at IS NULL OR made.made_at <= now() - ${hours * this.restMs}::int * interval '1 millisecond')
      ORDER BY found.at DESC`;
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
        INSERT INTO usage_ended_hours AS made (at, hours, seen, keys, accounts, requests, costs)
        SELECT ${at}::timestamptz, ${hours}, seen.versions, array_agg(one.key_id), array_agg(one.account_id), array_agg(one.requests), array_agg(one.cost)
        FROM (SELECT ${versions} AS versions FROM usage_hour AS hour WHERE hour.key_id = ${everybody} AND ${within}) AS seen
        CROSS JOIN (
          SELECT key_id, account_id, sum(requests - cached_requests)::bigint AS requests, sum(cost_nano_usd) AS cost
          FROM usage_hour AS hour WHERE ${within} AND key_id <> ${everybody} GROUP BY key_id, account_id
        ) AS one WHERE seen.versions IS NOT NULL GROUP BY seen.versions
        ON CONFLICT (at, hours) DO UPDATE SET seen = excluded.seen, made_at = excluded.made_at, keys = excluded.keys,
          accounts = excluded.accounts, requests = excluded.requests, costs = excluded.costs`;
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

/** Cuts whole hours into those that have ended and are kept, in this moment, and the rest. */
export async function cutIntoHours(
  queries: Queries<'metering'>,
  ranges: readonly HourRange[],
): Promise<{ kept: KeptHours[]; ranges: HourRange[] }> {
  const times = (of: 'from' | 'to') => ranges.map((range) => new Date(range[of]));
  const rows = await queries.$queryRaw<{ at: Date; hours: number }[]>`
    SELECT made.at, made.hours FROM unnest(${times('from')}::timestamptz[], ${times('to')}::timestamptz[]) AS part ("from", "to")
    JOIN usage_ended_hours AS made ON made.at >= part.from AND made.at + made.hours * interval '1 hour' <= part.to
    WHERE ${isOfItsRows} ORDER BY made.at, made.hours DESC`;
  const made = rows.map(({ at, hours }) => ({ at: at.getTime(), hours }));
  const cuts = ranges.map((range) => cutRange(range, made));
  return { kept: cuts.flatMap(({ kept }) => kept), ranges: cuts.flatMap((cut) => cut.ranges) };
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
