import type { BudgetUnit } from '@tollgate/contracts/metering';
import { Client } from 'pg';

/** What was spent with one key at a moment (epoch milliseconds), in a unit, before a budget is made. */
interface EarlierSpending {
  keyId: string;
  accountId: string;
  model: string;
  unit: BudgetUnit;
  amount: bigint;
  atMs: number;
}

/** Adds it to the sums of usage, by the minute and the hour, as metering does with an event. */
export async function spendEarlier(databaseUrl: string, spending: EarlierSpending): Promise<void> {
  const { keyId, accountId, model, unit, amount, atMs } = spending;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const [table, unitMs] of [
      ['usage_minute', 60_000],
      ['usage_hour', 3_600_000],
    ] as const)
      await client.query(
        `INSERT INTO ${table} (key_id, at, model, account_id, requests, unpriced, input_tokens, output_tokens, cost_nano_usd)
         VALUES ($1, $2, $3, $4, 1, 0, $6, 0, $5)`,
        [keyId, new Date(Math.floor(atMs / unitMs) * unitMs), model, accountId, ...columnsOf(unit, amount)],
      );
  } finally {
    await client.end();
  }
}

/** Its cost, and its tokens. */
const columnsOf = (unit: BudgetUnit, amount: bigint): string[] =>
  unit === 'usd' ? [amount.toString(), '0'] : ['0', amount.toString()];
