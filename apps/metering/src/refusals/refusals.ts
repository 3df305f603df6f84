import { Injectable, Optional } from '@nestjs/common';
import { mostRefusalCauses, refusalOperations } from '@tollgate/contracts/metering';
import type { RefusalCause, RefusedInMinute } from '@tollgate/contracts/metering';
import { Prisma } from '@tollgate/database';
import type { z } from 'zod';
import { Databases } from '../databases';
import { postgresJson } from '../ingest/postgres-json';
import { scopeConditions } from '../reports/scope';

/** So long counts are kept: as long as the longest window of a report. */
const keptMs = 31 * 86_400_000;
/** Rows that are removed at once. */
const batchRows = 5_000;

interface CauseRow {
  status: number;
  reason: string;
  key_id: string;
  account_id: string | null;
  count: number;
  total: number;
  last_at: Date;
  last_request_id: string;
  last_model: string | null;
  last_path: string;
  last_message: string;
}

/** What edges refused by themselves, by minute and cause. */
@Injectable()
export class Refusals {
  constructor(
    private readonly databases: Databases,
    @Optional() private readonly now: () => number = Date.now,
  ) {}

  /** Keeps counts. One that is there already is replaced by a larger one of the same edge and minute. */
  async record(minutes: readonly RefusedInMinute[]): Promise<void> {
    const rows = postgresJson(minutes.map(({ last, keyId, ...rest }) => ({ ...rest, ...last, keyId: keyId ?? '' })));
    await this.databases.operations.$executeRaw`
      INSERT INTO refusal (
        minute, edge_id, key_id, status, reason, account_id, count,
        last_at, last_request_id, last_model, last_path, last_message
      )
      SELECT
        'epoch'::timestamptz + minute * interval '1 millisecond', "edgeId", "keyId", status, reason, "accountId", count,
        'epoch'::timestamptz + at * interval '1 millisecond', "requestId", model, path, message
      FROM json_to_recordset(${rows}::json) AS row (
        minute bigint, "edgeId" text, "keyId" text, status int, reason text, "accountId" text, count int,
        at bigint, "requestId" text, model text, path text, message text
      )
      ORDER BY minute, "edgeId", "keyId", status, reason
      ON CONFLICT (minute, edge_id, key_id, status, reason) DO UPDATE SET
        count = EXCLUDED.count, last_at = EXCLUDED.last_at, last_request_id = EXCLUDED.last_request_id,
        last_model = EXCLUDED.last_model, last_path = EXCLUDED.last_path, last_message = EXCLUDED.last_message
      WHERE refusal.count < EXCLUDED.count`;
  }

  /** As `refusalOperations.list`. */
  async list({
    startAt,
    endAt,
    ...scope
  }: z.output<typeof refusalOperations.list.request>): Promise<{ total: number; causes: RefusalCause[] }> {
    const rows = await this.databases.operations.$queryRaw<CauseRow[]>`
      WITH refused AS (
        SELECT * FROM refusal
        WHERE minute >= ${new Date(startAt)} AND minute < ${new Date(endAt)} ${scopeConditions(scope)}
      ), causes AS (
        SELECT status, reason, key_id, account_id, sum(count)::int AS count, sum(sum(count)) OVER ()::int AS total
        FROM refused GROUP BY status, reason, key_id, account_id
        ORDER BY count DESC, status, reason, key_id LIMIT ${mostRefusalCauses}
      )
      SELECT causes.*, last.*
      FROM causes CROSS JOIN LATERAL (
        SELECT last_at, last_request_id, last_model, last_path, last_message FROM refused
        WHERE (refused.status, refused.reason, refused.key_id) = (causes.status, causes.reason, causes.key_id)
        ORDER BY last_at DESC LIMIT 1
      ) AS last
      ORDER BY causes.count DESC, causes.status, causes.reason, causes.key_id`;
    return { total: rows[0]?.total ?? 0, causes: rows.map(toCause) };
  }

  /** Removes what is older than is kept, a batch at a time. Returns how many rows went. */
  async sweep(): Promise<number> {
    const before = new Date(this.now() - keptMs);
    for (let removed = 0; ;) {
      const count = await this.databases.ingest.$executeRaw(
        Prisma.sql`DELETE FROM refusal WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM refusal WHERE minute < ${before} LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
        ))`,
      );
      removed += count;
      if (count < batchRows) return removed;
    }
  }
}

function toCause(row: CauseRow): RefusalCause {
  const { status, reason, count } = row;
  return {
    status,
    reason,
    count,
    keyId: row.key_id === '' ? null : row.key_id,
    accountId: row.account_id,
    last: {
      at: row.last_at.getTime(),
      requestId: row.last_request_id,
      model: row.last_model,
      path: row.last_path,
      message: row.last_message,
    },
  };
}
