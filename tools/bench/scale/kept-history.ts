import type { Client } from 'pg';
import { z } from 'zod';
import { writeHistory } from './history';
import type { History } from './history';
import type { ScalePoint } from './scale-report';

const percentiles = z.object({ p50: z.number(), p95: z.number(), p99: z.number(), gaveUp: z.number() });
const storedHistory = z.object({
  keys: z.number(),
  models: z.array(z.string()),
  untilMs: z.number(),
  lengthMs: z.number(),
  events: z.number(),
}) satisfies z.ZodType<History>;
const storedPoint = z.object({
  events: z.number(),
  bytes: z.object({ events: z.number(), minutes: z.number(), hours: z.number() }),
  latency: z.record(z.string(), percentiles),
  ingestPerS: z.number(),
}) satisfies z.ZodType<ScalePoint>;

/**
 * A history with what was written and measured of it, in tables of the benchmark's own beside the ledger, so
 * that a run can go on where one was cut off.
 */
export class KeptHistory {
  private constructor(
    private readonly client: Client,
    readonly history: History,
    private count: number,
  ) {}

  /**
   * Opens the history that the database holds, or begins this one.
   * @throws Error when the database holds one of other numbers of events or keys.
   */
  static async open(client: Client, asked: History): Promise<KeptHistory> {
    await client.query(
      `CREATE TABLE IF NOT EXISTS scale_history (one INTEGER PRIMARY KEY DEFAULT 1 CHECK (one = 1), history JSONB NOT NULL, written INTEGER NOT NULL)`,
    );
    await client.query('CREATE TABLE IF NOT EXISTS scale_point (events INTEGER PRIMARY KEY, point JSON NOT NULL)');
    await client.query('INSERT INTO scale_history (history, written) VALUES ($1, 0) ON CONFLICT (one) DO NOTHING', [
      JSON.stringify(asked),
    ]);
    const { rows } = await client.query<{ history: unknown; written: number }>(
      'SELECT history, written FROM scale_history',
    );
    const history = storedHistory.parse(rows[0]?.history);
    if (history.events !== asked.events || history.keys !== asked.keys)
      throw new Error(
        `The folder holds a history of ${history.events} events of ${history.keys} keys. Ask for the same, or take another folder.`,
      );
    return new KeptHistory(client, history, rows[0]?.written ?? 0);
  }

  /** How many events are written. */
  get written(): number {
    return this.count;
  }

  /** Writes the next events, all of them or none. */
  async write(events: number): Promise<void> {
    const to = Math.min(this.count + events, this.history.events);
    await this.client.query('BEGIN');
    await writeHistory(this.client, this.history, this.count, to);
    await this.client.query('UPDATE scale_history SET written = $1', [to]);
    await this.client.query('COMMIT');
    this.count = to;
  }

  /** What was measured so far, in the order of their events. */
  async points(): Promise<ScalePoint[]> {
    const { rows } = await this.client.query<{ point: unknown }>('SELECT point FROM scale_point ORDER BY events');
    return rows.map(({ point }) => storedPoint.parse(point));
  }

  /** Keeps what was measured, in place of what was measured with as many events before. */
  async keepPoint(point: ScalePoint): Promise<void> {
    await this.client.query(
      'INSERT INTO scale_point (events, point) VALUES ($1, $2) ON CONFLICT (events) DO UPDATE SET point = excluded.point',
      [point.events, JSON.stringify(point)],
    );
  }
}
