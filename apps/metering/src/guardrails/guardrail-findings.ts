import { Injectable, Optional } from '@nestjs/common';
import { mostGuardrailFindings } from '@tollgate/contracts/metering';
import type { FoundInHour, GuardrailCount } from '@tollgate/contracts/metering';
import { Databases } from '../databases';
import { postgresJson } from '../ingest/postgres-json';

/** No instance tells an hour again that began longer ago: it is one row from then on, of whoever counted. */
const toldAgainMs = 8 * 3_600_000;
/** So long counts are kept: as long as the longest window of a report. */
const keptMs = 31 * 86_400_000;

/** How often guardrails found something, as edge and inference counted. */
@Injectable()
export class GuardrailFindings {
  constructor(
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** Keeps counts. One that is there already is replaced by a larger one of the same instance and hour. */
  async record(hours: readonly FoundInHour[]): Promise<void> {
    await this.databases.operations.$executeRaw`
      INSERT INTO guardrail_finding (hour, told_by, guardrail, side, action, count)
      SELECT 'epoch'::timestamptz + hour * interval '1 millisecond', "toldBy", guardrail, side, action, count
      FROM json_to_recordset(${postgresJson(hours)}::json)
        AS row (hour bigint, "toldBy" text, guardrail text, side text, action text, count int)
      ORDER BY hour, "toldBy", guardrail, side, action
      ON CONFLICT (hour, told_by, guardrail, side, action) DO UPDATE SET count = EXCLUDED.count
      WHERE guardrail_finding.count < EXCLUDED.count`;
  }

  /** As `guardrailOperations.list`. */
  async list(startAt: number, endAt: number): Promise<GuardrailCount[]> {
    const rows = await this.databases.operations.$queryRaw<(Omit<GuardrailCount, 'lastHour'> & { lastHour: Date })[]>`
      SELECT guardrail, side, action, sum(count)::float8 AS count, max(hour) AS "lastHour"
      FROM guardrail_finding WHERE hour >= ${new Date(startAt)} AND hour < ${new Date(endAt)}
      GROUP BY guardrail, side, action
      ORDER BY count DESC, guardrail, side, action LIMIT ${mostGuardrailFindings}`;
    return rows.map(({ lastHour, ...row }) => ({ ...row, lastHour: lastHour.getTime() }));
  }

  /** Adds up what instances told of hours that are over. @returns how many of their rows were added up. */
  async fold(): Promise<number> {
    const before = new Date(this.now() - toldAgainMs);
    const [folded] = await this.databases.ingest.$queryRaw<{ rows: number }[]>`
      WITH told AS (
        DELETE FROM guardrail_finding WHERE hour < ${before} AND told_by <> '' RETURNING *
      ), added AS (
        INSERT INTO guardrail_finding AS sum (hour, told_by, guardrail, side, action, count)
        SELECT hour, '', guardrail, side, action, least(sum(count), 2147483647)::int FROM told
        GROUP BY hour, guardrail, side, action
        ON CONFLICT (hour, told_by, guardrail, side, action)
          DO UPDATE SET count = least(sum.count::bigint + EXCLUDED.count, 2147483647)::int
      )
      SELECT count(*)::int AS rows FROM told`;
    return folded?.rows ?? 0;
  }

  /** Removes what is older than is kept. Returns how many rows went. */
  sweep(): Promise<number> {
    const before = new Date(this.now() - keptMs);
    return this.databases.ingest.$executeRaw`DELETE FROM guardrail_finding WHERE hour < ${before}`;
  }
}
