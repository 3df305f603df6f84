import { Prisma } from '@tollgate/database';
import type { Attribution } from '@tollgate/contracts/metering';
import type { Statements } from '@tollgate/database';
import { spend, spendingOf, spendingOfNames } from '../budgets/budget-sums';
import { histogramArray } from '../reports/histogram';
import { addToSlices } from '../slices/add-to-slices';
import { minuteOf } from './fold-rows';
import type { Changes, LeaseChange, QuotaChange, RollupChange } from './fold-rows';
import { everybody } from './everybody';
import { postgresJson } from './postgres-json';

/**
 * Adds changes to the sums. Every transaction of metering locks rows in one order (events, minutes, hours,
 * names, hours and days of slices, quota months, leases, ended leases, budgets, their names, their leases,
 * and within each table by key), so that no two can wait for each other in a circle.
 */
export async function applyChanges(transaction: Statements, changes: Changes): Promise<void> {
  await addToRollup(transaction, minutes, changes.minutes);
  await addToRollup(transaction, hours, changes.hours);
  await addToSlices(transaction, changes.slices);
  await addToMonths(transaction, changes.months);
  if (changes.leases.length > 0) await settleLeases(transaction, changes.leases);
  await spend(transaction, {
    changes: spendingOf(changes.minutes),
    names: spendingOfNames(changes.slices),
    leases: changes.budgetLeases,
  });
}

const minutes = Prisma.sql`usage_minute`;
const hours = Prisma.sql`usage_hour`;

/**
 * The cost of an event that was stored without one. `ended` in epoch milliseconds, `cost` a decimal string of
 * nano-dollars. `attribution` undefined: it says nothing, or is in no slice.
 */
export interface CostChange {
  id: string;
  key: string;
  account: string;
  model: string;
  provider: string;
  ended: number;
  price: string;
  cost: string;
  attribution: Attribution | undefined;
}

/**
 * Writes the costs of events that had none and adds them to the sums. The events are locked by this
 * transaction.
 */
export async function addCosts(transaction: Statements, changes: CostChange[]): Promise<void> {
  const costs = changes.map(({ attribution: _, ...change }) => change);
  const json = postgresJson(costs);
  const sums = postgresJson([...costs, ...costs.map((change) => ({ ...change, key: everybody }))]);
  await transaction.$executeRaw`
    UPDATE usage_event AS event SET price_id = change.price, cost_nano_usd = change.cost
    FROM json_to_recordset(${json}::json) AS change (id uuid, price uuid, cost bigint) WHERE event.id = change.id`;
  for (const [table, unit] of [
    [minutes, 'minute'],
    [hours, 'hour'],
  ] as const) {
    await transaction.$executeRaw`
      WITH change AS (
        SELECT key AS key_id, model, provider, count(*) AS events, sum(cost) AS cost,
          date_trunc(${unit}, 'epoch'::timestamptz + ended * interval '1 millisecond', 'UTC') AS at
        FROM json_to_recordset(${sums}::json) AS change (key text, model text, provider text, ended bigint, cost numeric)
        GROUP BY key, at, model, provider
      ),
      locked AS (
        SELECT key_id, at, model, provider, change.events, change.cost
        FROM ${table} AS sum JOIN change USING (key_id, at, model, provider)
        ORDER BY key_id, at, model, provider FOR UPDATE OF sum
      )
      UPDATE ${table} AS sum SET unpriced = sum.unpriced - locked.events, cost_nano_usd = sum.cost_nano_usd + locked.cost
      FROM locked
      WHERE sum.key_id = locked.key_id AND sum.at = locked.at AND sum.model = locked.model AND sum.provider = locked.provider`;
  }
  const slices = changes.flatMap(({ attribution, key, account, model, ended: endedAt, cost }) =>
    attribution ? [{ ...onlyCost, key, account, model, endedAt, attribution, nanoUsd: BigInt(cost) }] : [],
  );
  await addToSlices(transaction, slices);
  const spending = changes.map(({ ended, ...change }) => ({ ...change, at: minuteOf(ended), tokens: 0 }));
  await spend(transaction, { changes: spending, names: spendingOfNames(slices), leases: [] });
}

const onlyCost = { requests: 0, unpriced: -1, input: 0, output: 0 };

async function addToRollup(transaction: Statements, table: Prisma.Sql, changes: RollupChange[]): Promise<void> {
  // As text, because an array in JSON cannot say where it begins.
  const rows = changes.map((change) => ({
    ...change,
    latency: histogramArray(change.latency),
    first: histogramArray(change.first),
  }));
  await transaction.$executeRaw`
    INSERT INTO ${table} AS sum (
      key_id, at, model, provider, account_id, requests, unpriced, input_tokens, output_tokens, cached_input, reasoning,
      failed, cancelled, cached_requests, latency, first_token, streamed_tokens, streamed_ms, cost_nano_usd
    )
    SELECT
      key, 'epoch'::timestamptz + "at" * interval '1 millisecond', model, provider, account, requests, unpriced, input, output,
      cached, reasoning, failed, cancelled, "fromCache", latency, first, "streamedTokens", "streamedMs", cost
    FROM json_to_recordset(${postgresJson(rows)}::json) AS change (
      key text, "at" bigint, model text, provider text, account text, requests bigint, unpriced bigint, input bigint, output bigint,
      cached bigint, reasoning bigint, failed bigint, cancelled bigint, "fromCache" bigint, latency int[], first int[],
      "streamedTokens" bigint, "streamedMs" bigint, cost numeric
    )
    ORDER BY key, "at", model, provider
    ON CONFLICT (key_id, at, model, provider) DO UPDATE SET
      account_id = excluded.account_id,
      requests = sum.requests + excluded.requests,
      unpriced = sum.unpriced + excluded.unpriced,
      input_tokens = sum.input_tokens + excluded.input_tokens,
      output_tokens = sum.output_tokens + excluded.output_tokens,
      cached_input = sum.cached_input + excluded.cached_input,
      reasoning = sum.reasoning + excluded.reasoning,
      failed = sum.failed + excluded.failed,
      cancelled = sum.cancelled + excluded.cancelled,
      cached_requests = sum.cached_requests + excluded.cached_requests,
      latency = add_counts(sum.latency, excluded.latency),
      first_token = add_counts(sum.first_token, excluded.first_token),
      streamed_tokens = sum.streamed_tokens + excluded.streamed_tokens,
      streamed_ms = sum.streamed_ms + excluded.streamed_ms,
      cost_nano_usd = sum.cost_nano_usd + excluded.cost_nano_usd`;
}

async function addToMonths(transaction: Statements, changes: QuotaChange[]): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO quota_month AS sum (key_id, month, used_tokens)
    SELECT key, month, tokens
    FROM json_to_recordset(${postgresJson(changes)}::json) AS change (key text, month date, tokens bigint)
    ORDER BY key, month
    ON CONFLICT (key_id, month) DO UPDATE SET used_tokens = sum.used_tokens + excluded.used_tokens`;
}

/**
 * Takes used tokens out of what leases hold. A lease that is gone left what it held in `unsettled_lease`;
 * used tokens are counted all the same.
 */
async function settleLeases(transaction: Statements, changes: LeaseChange[]): Promise<void> {
  const settled = await transaction.$queryRaw<{ id: string }[]>`
    WITH change AS (SELECT * FROM json_to_recordset(${postgresJson(changes)}::json) AS change (id text, tokens bigint)),
    locked AS (SELECT id FROM quota_lease WHERE id IN (SELECT id FROM change) ORDER BY id FOR UPDATE)
    UPDATE quota_lease AS lease SET held_tokens = greatest(0, lease.held_tokens - change.tokens)
    FROM locked JOIN change USING (id) WHERE lease.id = locked.id RETURNING lease.id`;
  const found = new Set(settled.map(({ id }) => id));
  const late = changes.filter(({ id }) => !found.has(id));
  if (late.length === 0) return;
  // A statement of its own: it sees what a transaction that removed the lease meanwhile has left.
  await transaction.$executeRaw`
    WITH change AS (SELECT * FROM json_to_recordset(${postgresJson(late)}::json) AS change (id text, tokens bigint)),
    locked AS (SELECT id FROM unsettled_lease WHERE id IN (SELECT id FROM change) ORDER BY id FOR UPDATE)
    UPDATE unsettled_lease AS lease SET held_tokens = greatest(0, lease.held_tokens - change.tokens)
    FROM locked JOIN change USING (id) WHERE lease.id = locked.id`;
}
