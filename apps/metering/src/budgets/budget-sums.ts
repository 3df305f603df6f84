import { digestOfName } from '@tollgate/contracts/metering';
import type { Statements } from '@tollgate/database';
import { everybody } from '../ingest/everybody';
import type { RollupChange } from '../ingest/fold-rows';
import { postgresJson } from '../ingest/postgres-json';
import { namesIn } from '../slices/slice-changes';
import type { SliceChange } from '../slices/slice-changes';

/**
 * What was spent by a key with a model in a minute (`at`, epoch milliseconds). `cost` is a decimal string of
 * nano-dollars; `tokens` are those of input and output.
 */
export type SpendingChange = Pick<RollupChange, 'key' | 'account' | 'at' | 'model' | 'cost'> & { tokens: number };

/**
 * What was spent for a name (of an end user, or a tag) at a time (`at`, epoch milliseconds). `cost` and
 * `tokens` as above; `digest`: see digestOfName.
 */
export interface NameSpending {
  key: string;
  account: string;
  model: string;
  at: number;
  by: string;
  name: string;
  digest: string;
  cost: string;
  tokens: number;
}

/**
 * What a lease no longer holds, because the usage of requests that reserved from it is stored. `nanos`: a
 * decimal string, in the unit of its budget.
 */
export interface BudgetLeaseChange {
  id: string;
  nanos: string;
}

/**
 * What changes of the sums by the minute say of spending: all keys by themselves, without those that spent
 * nothing.
 */
export function spendingOf(minutes: readonly RollupChange[]): SpendingChange[] {
  return minutes
    .map(({ input, output, ...change }) => ({ ...change, tokens: input + output }))
    .filter(({ key, cost, tokens }) => key !== everybody && (cost !== '0' || tokens !== 0))
    .map(({ key, account, at, model, cost, tokens }) => ({ key, account, at, model, cost, tokens }));
}

/** What changes of slices say of spending: what was spent for several tags is spent for each of them. */
export function spendingOfNames(changes: readonly SliceChange[]): NameSpending[] {
  return changes.flatMap(({ key, account, model, endedAt: at, attribution, nanoUsd, input, output }) => {
    const spent = { cost: nanoUsd.toString(), tokens: input + output };
    if (nanoUsd === 0n && spent.tokens === 0) return [];
    return namesIn(attribution).flatMap(([by, names]) =>
      (by === 'end_user' || by === 'tag' ? names : []).map((name) => {
        return { key, account, model, at, by, name, digest: digestOfName(name), ...spent };
      }),
    );
  });
}

/**
 * Adds spending for names to every budget that each of them has alone, since that was made, and notes to
 * which threshold of its part each has come: anew where the limit is another than then. It has the place
 * between those of `spend` in the order of locks.
 */
async function spendForNames(transaction: Statements, changes: readonly NameSpending[]): Promise<void> {
  if (changes.length === 0) return;
  await transaction.$executeRaw`
    INSERT INTO budget_name_spent AS sum (
      budget_id, name_digest, window_start, spent_nano_usd, name, reached_percent, reached_under_nano_usd
    )
    SELECT budget.id, digest, budget_window_start(budget."window", budget.time_zone, budget.created_at, "at"), sum(amount),
      max(change.name), budget_threshold(sum(amount), budget.limit_nano_usd), budget.limit_nano_usd
    FROM (
      SELECT key, account, model, 'epoch'::timestamptz + "at" * interval '1 millisecond' AS "at", "by", name, digest, cost, tokens
      FROM json_to_recordset(${postgresJson(changes)}::json)
        AS change (key text, account text, model text, "at" bigint, "by" text, name text, digest text, cost numeric, tokens numeric)
    ) AS change
    JOIN budget ON budget.account_id::text = account AND (budget.key_ids = '{}' OR key = ANY (budget.key_ids))
      AND budget_counts(budget.models, model) AND budget.each_by = "by" AND budget_counts(ARRAY[budget.each_names], change.name)
      AND "at" >= budget.created_at
    CROSS JOIN LATERAL budget_amount(budget.unit, cost, tokens) AS amount
    WHERE amount <> 0
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (budget_id, name_digest, window_start) DO UPDATE SET
      spent_nano_usd = sum.spent_nano_usd + excluded.spent_nano_usd,
      name = excluded.name,
      reached_percent = greatest(
        budget_threshold(sum.spent_nano_usd + excluded.spent_nano_usd, excluded.reached_under_nano_usd),
        CASE WHEN sum.reached_under_nano_usd = excluded.reached_under_nano_usd THEN sum.reached_percent END
      ),
      told_percent = CASE WHEN sum.reached_under_nano_usd = excluded.reached_under_nano_usd THEN sum.told_percent ELSE 0 END,
      reached_under_nano_usd = excluded.reached_under_nano_usd`;
}

/**
 * Adds spending to every budget that it counts to and whose sum was made already (`openWindows`), and takes
 * what its requests reserved out of their leases. It comes last in a transaction that changes the sums of
 * usage; rows are locked by key, as everywhere there.
 */
export async function spend(
  transaction: Statements,
  { changes, names, leases }: { changes: SpendingChange[]; names: NameSpending[]; leases: BudgetLeaseChange[] },
): Promise<void> {
  if (changes.length > 0) {
    // A statement of its own: what follows has to see the sums that were made until this one had its turn.
    await transaction.$queryRaw`SELECT pg_advisory_xact_lock_shared(hashtext('tollgate.budget.sums'))::text`;
    await transaction.$executeRaw`
      WITH change AS (
        SELECT key, account, model, 'epoch'::timestamptz + "at" * interval '1 millisecond' AS "at", cost, tokens
        FROM json_to_recordset(${postgresJson(changes)}::json)
          AS change (key text, account text, model text, "at" bigint, cost numeric, tokens numeric)
      ),
      due AS (
        SELECT budget.id, budget_window_start(budget."window", budget.time_zone, budget.created_at, "at") AS start,
          sum(budget_amount(budget.unit, cost, tokens)) AS amount
        FROM change JOIN budget ON budget.account_id::text = account AND (budget.key_ids = '{}' OR key = ANY (budget.key_ids))
          AND budget_counts(budget.models, model) AND budget.each_by IS NULL
        GROUP BY 1, 2
      ),
      locked AS (
        SELECT spent.budget_id, spent.window_start, due.amount
        FROM budget_spent AS spent JOIN due ON spent.budget_id = due.id AND spent.window_start = due.start
        WHERE due.amount <> 0
        ORDER BY spent.budget_id, spent.window_start FOR UPDATE OF spent
      )
      UPDATE budget_spent AS spent SET spent_nano_usd = spent.spent_nano_usd + locked.amount
      FROM locked WHERE spent.budget_id = locked.budget_id AND spent.window_start = locked.window_start`;
  }
  await spendForNames(transaction, names);
  if (leases.length === 0) return;
  await transaction.$executeRaw`
    WITH change AS (SELECT * FROM json_to_recordset(${postgresJson(leases)}::json) AS change (id text, nanos bigint)),
    locked AS (SELECT id FROM budget_lease WHERE id IN (SELECT id FROM change) ORDER BY id FOR UPDATE)
    UPDATE budget_lease AS lease SET held_nano_usd = greatest(0, lease.held_nano_usd - change.nanos)
    FROM locked JOIN change USING (id) WHERE lease.id = locked.id`;
}
