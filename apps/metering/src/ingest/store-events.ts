import type { Statements } from '@tollgate/database';
import { postgresJson } from './postgres-json';
import type { UsageRow } from './usage-row';

/**
 * Inserts the rows whose ids are new, in the order of their ids (two instances that store overlapping batches
 * then wait for each other, never in a circle). Returns the ids that were inserted, and the catalog's
 * revision as this transaction sees it.
 */
export async function storeEvents(
  transaction: Statements,
  rows: UsageRow[],
): Promise<{ inserted: Set<string>; catalogRevision: bigint }> {
  const json = postgresJson(rows.map(toColumns));
  const [result] = await transaction.$queryRaw<{ ids: string; revision: bigint }[]>`
    WITH inserted AS (
      INSERT INTO usage_event (
        id, born_at, request_id, key_id, account_id, requested_model, model, surface, stream, state, status, estimated,
        input_tokens, output_tokens, cached_input, cache_write_5m, cache_write_1h, reasoning, audio_input, audio_output,
        attempts, started_at, first_token_at, ended_at, lease, reported_by, cached, served, reserved, budgets, price_id, cost_nano_usd,
        end_user, session, agent, tags
      )
      SELECT
        id, 'epoch'::timestamptz + born * interval '1 millisecond', request, key, account, requested, model, surface, stream,
        state, status, estimated, input, output, cached, write5m, write1h, reasoning, audio_in, audio_out, attempts,
        'epoch'::timestamptz + started * interval '1 millisecond', 'epoch'::timestamptz + first * interval '1 millisecond',
        'epoch'::timestamptz + ended * interval '1 millisecond', lease, reporter, replayed, served, reserved, budgets, price, cost,
        "endUser", session, agent, tags
      FROM json_to_recordset(${json}::json) AS row (
        id uuid, born bigint, request text, key text, account text, requested text, model text, surface text, stream boolean,
        state text, status int, estimated boolean, input bigint, output bigint, cached bigint, write5m bigint, write1h bigint,
        reasoning bigint, audio_in bigint, audio_out bigint, attempts jsonb, started bigint, first bigint, ended bigint,
        lease text, reporter text, replayed boolean, served jsonb, reserved bigint, budgets jsonb, price uuid, cost bigint,
        "endUser" text, session text, agent text, tags text[]
      )
      ORDER BY id
      ON CONFLICT (id, born_at) DO NOTHING
      RETURNING id
    )
    SELECT
      coalesce((SELECT string_agg(id::text, ' ') FROM inserted), '') AS ids,
      coalesce((SELECT revision FROM catalog_revision), 0) AS revision`;
  if (!result) throw new Error('The insert of usage events returned no row.');
  const ids = result.ids === '' ? [] : result.ids.split(' ');
  return { inserted: new Set(ids), catalogRevision: result.revision };
}

/**
 * Names are short: they are repeated for every row. `cost` is a string because JSON numbers are not exact
 * beyond 2^53.
 */
function toColumns({ event, bornAt, startedAt, firstTokenAt, endedAt, priceId, costNanoUsd }: UsageRow) {
  const { usage } = event;
  return {
    id: event.id,
    born: bornAt,
    request: event.requestId,
    key: event.keyId,
    account: event.accountId,
    requested: event.requestedModel,
    model: event.model,
    surface: event.surface,
    stream: event.stream,
    state: event.state,
    status: event.status,
    estimated: event.estimated,
    input: usage.input,
    output: usage.output,
    cached: usage.cachedInput,
    write5m: usage.cacheWrite5m,
    write1h: usage.cacheWrite1h,
    reasoning: usage.reasoning,
    audio_in: usage.audioInput,
    audio_out: usage.audioOutput,
    attempts: event.attempts,
    started: startedAt,
    first: firstTokenAt,
    ended: endedAt,
    lease: event.lease,
    reporter: event.reportedBy,
    replayed: event.cached ?? false,
    served: usage.served ?? null,
    reserved: event.reserved ?? null,
    budgets: event.budgets ?? null,
    price: priceId,
    cost: costNanoUsd?.toString() ?? null,
    ...event.attribution,
  };
}
