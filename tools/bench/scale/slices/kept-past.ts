import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { dayMs, daysOf } from './past';
import type { PastDay, SlicedPast } from './past';
import { prepareDays, prepareLedger, writeDay } from './write-day';

/** Days are written side by side: they share no row. */
const writers = 2;

const storedPast = z.object({
  accounts: z.number(),
  keys: z.number(),
  endUsers: z.number(),
  models: z.array(z.object({ id: z.string(), inputPico: z.number(), outputPico: z.number() })),
  untilMs: z.number(),
  lengthMs: z.number(),
  events: z.number(),
  rawDays: z.number(),
  busyEvents: z.number().default(0),
}) satisfies z.ZodType<SlicedPast, unknown>;

/**
 * A past in the ledger, with which of its days are written, so that a run can go on where one was cut off.
 */
export class KeptPast {
  private constructor(
    private readonly url: string,
    readonly database: Client,
    readonly past: SlicedPast,
  ) {}

  /**
   * Opens the past that the database holds, or begins this one (null: it must hold one).
   * @throws Error when it holds one of other numbers of events or keys.
   */
  static async open(url: string, asked: SlicedPast | null): Promise<KeptPast> {
    const database = new Client({ connectionString: url });
    await database.connect();
    await database.query(
      `CREATE TABLE IF NOT EXISTS scale_past (one INTEGER PRIMARY KEY DEFAULT 1 CHECK (one = 1), past JSONB NOT NULL);
       CREATE TABLE IF NOT EXISTS scale_day (start BIGINT PRIMARY KEY)`,
    );
    if (asked)
      await database.query('INSERT INTO scale_past (past) VALUES ($1) ON CONFLICT (one) DO NOTHING', [
        JSON.stringify(asked),
      ]);
    const { rows } = await database.query<{ past: unknown }>('SELECT past FROM scale_past');
    const past = storedPast.parse(rows[0]?.past);
    if (asked && (past.events !== asked.events || past.keys !== asked.keys || past.busyEvents !== asked.busyEvents))
      throw new Error(
        `The folder holds ${past.events} events of ${past.keys} keys, ${past.busyEvents} on a busy day. Ask for the same, or take another folder.`,
      );
    return new KeptPast(url, database, past);
  }

  /** Writes the days that are not written yet, and has Postgres look at its tables. */
  async writeAll(onProgress: (line: string) => void): Promise<void> {
    const { rows } = await this.database.query<{ start: string }>('SELECT start FROM scale_day');
    const written = new Set(rows.map(({ start }) => Number(start)));
    const days = daysOf(this.past).filter(({ startMs }) => !written.has(startMs));
    if (days.length === 0) return;
    await prepareLedger(this.database, this.past);
    const toDo = [...days];
    const beganAt = performance.now();
    const tell = (): void => {
      const done = days.length - toDo.length;
      if (done % 10 === 0)
        onProgress(`${done} of ${days.length} days, ${((performance.now() - beganAt) / 1_000).toFixed(0)} s.`);
    };
    await Promise.all(Array.from({ length: writers }, () => this.write(toDo, tell)));
    // What metering made meanwhile is of days that were not there yet.
    await this.database.query(
      'TRUNCATE usage_block, usage_block_stale, usage_block_sum, usage_block_model_sum, usage_block_chart, usage_block_line, usage_block_points, usage_block_owners, usage_block_made',
    );
    await this.database.query(
      'VACUUM (ANALYZE) usage_event, usage_minute, usage_hour, usage_slice_hour, usage_slice_day, usage_slice_names, scale_said',
    );
  }

  /**
   * Waits until metering has made all blocks of days and hours, and has Postgres look at them. Returns how
   * many there are, by their days.
   */
  async blocksMade(): Promise<Record<string, number>> {
    const { untilMs, lengthMs } = this.past;
    // Its eight hours after the last whole day may not be over.
    const endMs = untilMs - 8 * 3_600_000;
    const expected = [1, 4, 16, 64].map((days) => ({ days, end: endMs - (endMs % (days * dayMs)) }));
    const last = expected.filter(({ end }) => end > untilMs - lengthMs);
    const made = `SELECT NOT EXISTS (SELECT FROM usage_block_stale) AND NOT EXISTS (
          SELECT FROM usage_block WHERE edition < 2 OR key_id = '*' AND edition < 5 OR key_id = '' AND edition < 3
            AND (days = 16 OR days = 1 AND at >= date_trunc('month', now(), 'UTC') - interval '3 months')
        ) AND NOT EXISTS (
          SELECT FROM json_to_recordset($1) AS expected (days int, "end" bigint) LEFT JOIN usage_block_made AS made USING (days)
          WHERE CASE WHEN days > 4 THEN accounts_until ELSE until END >= to_timestamp("end" / 1000.0) IS NOT TRUE
        ) AND NOT EXISTS (
          SELECT FROM usage_hour AS hour LEFT JOIN usage_ended_owners AS made ON made.at = hour.at AND made.hours = 1 AND made.model = hour.model
          WHERE hour.key_id = '*' AND hour.at > now() - interval '71 hours' AND hour.at <= now() - interval '2 hours' AND made.at IS NULL) AS "isDone"`;
    while (
      (await this.wasGoneOver()) ||
      !(await this.database.query<{ isDone: boolean }>(made, [JSON.stringify(last)])).rows[0]?.isDone
    )
      await delay(1_000);
    await this.database.query(
      'VACUUM (ANALYZE) usage_block, usage_block_sum, usage_block_model_sum, usage_block_line, usage_block_points, usage_block_owners',
    );
    const { rows } = await this.database.query<{ days: number; blocks: number }>(
      'SELECT days, count(*)::int AS blocks FROM usage_block GROUP BY days ORDER BY days',
    );
    return Object.fromEntries(rows.map(({ days, blocks }) => [days, blocks]));
  }

  /**
   * A turn of metering that began while the past was written says that it has gone over days that were not
   * there: they are gone over again then.
   */
  private async wasGoneOver(): Promise<boolean> {
    const firstDay = Math.ceil((this.past.untilMs - this.past.lengthMs) / dayMs) * dayMs;
    const { rowCount } = await this.database.query(
      `WITH first AS (SELECT to_timestamp($1 / 1000.0) AS at)
       DELETE FROM usage_block_made USING first
       WHERE days = 1 AND until > first.at + interval '24 hours'
         AND NOT EXISTS (SELECT FROM usage_block AS block WHERE block.days = 1 AND block.key_id = '*' AND block.at = first.at)
         AND (SELECT sum(requests) FROM usage_hour AS hour
           WHERE key_id = '*' AND hour.at >= first.at AND hour.at < first.at + interval '24 hours') >= 500`,
      [firstDay],
    );
    return rowCount !== 0;
  }

  /** Bytes on disk with indexes, by table. */
  async sizes(): Promise<Record<string, string>> {
    const { rows } = await this.database.query<{ name: string; size: string }>(
      `SELECT name, pg_size_pretty(sum(pg_total_relation_size(coalesce(relid, name::regclass)))) AS size
       FROM unnest('{usage_event,usage_minute,usage_hour,usage_ended_hours,usage_ended_owners,usage_slice_hour,usage_slice_day,usage_slice_names,usage_block,usage_block_sum,usage_block_model_sum,usage_block_chart,usage_block_line,usage_block_points,usage_block_owners}'::text[]) AS name
       LEFT JOIN LATERAL pg_partition_tree(name::regclass) ON true GROUP BY name`,
    );
    return Object.fromEntries(rows.map(({ name, size }) => [name, size]));
  }

  async close(): Promise<void> {
    await this.database.end();
  }

  /** Takes days until there are none. */
  private async write(days: PastDay[], done: () => void): Promise<void> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      await prepareDays(client, this.past);
      for (let day = days.shift(); day; day = days.shift()) {
        await client.query('BEGIN');
        await writeDay(client, this.past, day);
        await client.query('INSERT INTO scale_day VALUES ($1)', [day.startMs]);
        await client.query('COMMIT');
        done();
      }
    } finally {
      await client.end();
    }
  }
}
