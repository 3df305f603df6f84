import { catalogOperations } from '@tollgate/contracts/catalog';
import { Client } from 'pg';
import { makePartitions, simulatedKey, writeHistory } from '../../bench/scale/history';
import { prepareSimulation } from '../../bench/scale/simulated-events';
import type { Stack } from '../../stack/stack';

const chunk = 250_000;
/** The first of so many keys has about a quarter of all requests; it becomes the visitor's own. */
const keys = 20;
const modelCount = 6;
const yearMs = 365 * 86_400_000;

/**
 * Fills the ledger of a new stack with requests of a year, by SQL. Those of the busiest key are then of the
 * account with this address, with this key. There are no end users, tags and sessions in it.
 */
export async function fillLedger(stack: Stack, requests: number, email: string, keyId: string): Promise<void> {
  const database = new Client({ connectionString: stack.databaseUrl });
  await database.connect();
  try {
    const history = {
      keys,
      models: await pricedModels(stack),
      untilMs: Date.now() - 5_000,
      lengthMs: yearMs,
      events: requests,
    };
    await database.query('SET synchronous_commit = off; SET work_mem = 262144; SET jit = off');
    await prepareSimulation(database, history);
    await makePartitions(database, history);
    for (let from = 0; from < requests; from += chunk) {
      await database.query('BEGIN');
      await writeHistory(database, history, from, Math.min(from + chunk, requests));
      await database.query('COMMIT');
    }
    await hand(database, email, keyId);
  } finally {
    await database.end();
  }
}

/** Makes the busiest key the one with this id, of this account. */
async function hand(database: Client, email: string, keyId: string): Promise<void> {
  const account = await database.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
  const accountId = account.rows[0]?.id ?? '';
  for (const table of ['usage_event', 'usage_minute', 'usage_hour'])
    await database.query(`UPDATE ${table} SET account_id = $1, key_id = $2 WHERE key_id = $3`, [
      accountId,
      keyId,
      simulatedKey(0),
    ]);
  await database.query('UPDATE quota_month SET key_id = $1 WHERE key_id = $2', [keyId, simulatedKey(0)]);
  await database.query('VACUUM (ANALYZE) usage_event, usage_minute, usage_hour, quota_month');
}

async function pricedModels(stack: Stack): Promise<string[]> {
  const { models } = await stack.call(catalogOperations.snapshot, {});
  const priced = models.filter(({ prices, kind }) => prices !== null && kind === 'generation');
  return priced.slice(0, modelCount).map(({ id }) => id);
}
