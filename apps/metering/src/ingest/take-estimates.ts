import type { UsageEvent } from '@tollgate/contracts';
import type { Statements } from '@tollgate/database';
import { toStoredEvent } from '../ledger/find-events';
import type { LedgerRow } from '../ledger/find-events';
import { postgresJson } from './postgres-json';
import type { UsageRow } from './usage-row';

/**
 * Whether `event` may take the place of one that is known under its id. Two instances may tell of one
 * request: the first lost its connection before edge heard of it, and tells what it cancelled; the second
 * answered. The answer is what the caller got. What edge tells of a request that failed for its caller stays.
 */
export function replaces(event: UsageEvent, known: Pick<UsageEvent, 'state' | 'reportedBy'>): boolean {
  return isAnswer(event) && known.state !== 'completed' && known.reportedBy === 'inference';
}

function isAnswer({ state, reportedBy }: UsageEvent): boolean {
  return state === 'completed' && reportedBy === 'inference';
}

/**
 * Takes out of the ledger what the given rows replace, so that these can be inserted, and returns it: it is
 * to be taken out of the sums too. Locks in the order of ids, as inserts do.
 */
export async function takeEstimates(transaction: Statements, rows: UsageRow[]): Promise<UsageRow[]> {
  const answers = rows.filter(({ event }) => isAnswer(event)).map(({ event: { id }, bornAt }) => ({ id, bornAt }));
  if (answers.length === 0) return [];
  const taken = await transaction.$queryRaw<LedgerRow[]>`
    WITH locked AS (
      SELECT id, born_at FROM usage_event
      JOIN json_to_recordset(${postgresJson(answers)}::json) AS answer (id uuid, "bornAt" bigint) USING (id)
      WHERE born_at = 'epoch'::timestamptz + answer."bornAt" * interval '1 millisecond'
        AND state <> 'completed' AND reported_by = 'inference'
      ORDER BY id FOR UPDATE OF usage_event
    )
    DELETE FROM usage_event AS event USING locked WHERE event.id = locked.id AND event.born_at = locked.born_at
    RETURNING event.id, event.born_at AS "bornAt", request_id AS "requestId", key_id AS "keyId", account_id AS "accountId",
      requested_model AS "requestedModel", model, surface, stream, state, status, estimated, input_tokens AS "inputTokens",
      output_tokens AS "outputTokens", cached_input AS "cachedInput", cache_write_5m AS "cacheWrite5m",
      cache_write_1h AS "cacheWrite1h", reasoning, audio_input AS "audioInput", audio_output AS "audioOutput", attempts,
      started_at AS "startedAt", first_token_at AS "firstTokenAt", ended_at AS "endedAt", lease, reserved, budgets,
      reported_by AS "reportedBy", cached, served, end_user AS "endUser", session, agent, coalesce(tags, '{}') AS tags, price_id AS "priceId",
      cost_nano_usd AS "costNanoUsd"`;
  return taken.map((row) => ({
    ...toStoredEvent(row),
    bornAt: row.bornAt.getTime(),
    startedAt: row.startedAt.getTime(),
    firstTokenAt: row.firstTokenAt?.getTime() ?? null,
    endedAt: row.endedAt.getTime(),
    told: null,
    unbilled: [],
  }));
}
