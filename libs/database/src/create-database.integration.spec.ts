import { eventually, startPostgres } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { createAccountsDatabase } from './accounts';
import { createMeteringDatabase } from './metering';
import type { Database, Queries } from './create-database';
import { startMigratedPostgres } from './testing';

let postgres: PostgresServer;
let other: Client;
let database: Database<'metering'>;

beforeAll(async () => {
  postgres = await startPostgres();
  const url = new URL('postgres', postgres.url).href;
  other = new Client({ connectionString: url });
  await other.connect();
  await other.query('CREATE TABLE note (text text); CREATE TABLE held ()');
  // As behind a pooler, where the server ends nothing by itself.
  database = createMeteringDatabase(url, { connections: 1, statementTimeoutMs: 100, pooled: true });
});
afterAll(async () => {
  await database.$disconnect();
  await other.end();
  await postgres.stop();
});

/** What the database's connections do. */
async function states(): Promise<string[]> {
  const { rows } = await other.query<{ state: string }>(
    `SELECT state FROM pg_stat_activity WHERE application_name = 'tollgate-metering'`,
  );
  return rows.map(({ state }) => state);
}

it('leaves nothing of a transaction whose statement was given up: not in the table, and not on the connection', async () => {
  const commit = async (transaction: Queries<'metering'>): Promise<void> => {
    await transaction.$executeRaw`INSERT INTO note VALUES ('committed')`;
  };
  const notes = async (): Promise<string[]> => {
    await other.query('DELETE FROM note');
    await other.query('BEGIN; LOCK TABLE held');
    const givenUp = database.$transaction(async (transaction) => {
      await transaction.$executeRaw`INSERT INTO note VALUES ('given up')`;
      await transaction.$queryRaw`SELECT FROM held`;
    });
    await expect(givenUp).rejects.toThrow();
    await other.query('COMMIT');
    await eventually(async () => !(await states()).includes('active'));
    // On a busy machine these may be given up as well.
    const isDone = await database.$executeRaw`INSERT INTO note VALUES ('after')`
      .then(() => database.$transaction(commit, { timeout: 10_000 }))
      .then(() => true)
      .catch(() => false);
    const { rows } = await other.query<{ text: string }>('SELECT text FROM note');
    expect(rows).not.toContainEqual({ text: 'given up' });
    return isDone ? rows.map(({ text }) => text) : [];
  };
  expect(await eventually(notes, ({ length }) => length > 0)).toEqual(['after', 'committed']);
  await eventually(states, (all) => all.join() === 'idle');
});

it('hands the driver one statement after the other, also those of rows that come with a row', async () => {
  const migrated = await startMigratedPostgres();
  const accounts = createAccountsDatabase(migrated.url, { connections: 1 });
  const account = {
    id: randomUUID(),
    name: 'a',
    email: 'a@a.example',
    purpose: '',
    plan: 'p',
    status: 'active',
  } as const;
  await accounts.account.create({ data: account });
  const { query } = Client.prototype as { query: (...values: unknown[]) => unknown };
  let running = 0;
  let most = 0;
  const spy = jest.spyOn(Client.prototype as { query: typeof query }, 'query');
  spy.mockImplementation(function (this: Client, ...values) {
    running += 1;
    most = Math.max(most, running);
    return Promise.resolve(Reflect.apply(query, this, values)).finally(() => (running -= 1));
  });
  try {
    await accounts.$disconnect();
    const include = { budgets: true, ownKeys: true, projectOwnKeys: true, people: true };
    const found = await accounts.$transaction(({ account: all }) => all.findMany({ include }));
    expect(found).toMatchObject([{ ...account, budgets: [], ownKeys: [], projectOwnKeys: [], people: [] }]);
    expect(most).toBe(1);
  } finally {
    spy.mockRestore();
    await accounts.$disconnect();
    await migrated.stop();
  }
});

it('compiles no plan, which Postgres would do for longer than a statement may take', async () => {
  const url = new URL('postgres', postgres.url);
  url.searchParams.set('options', '-c jit=on');
  const whole = createMeteringDatabase(url.href);
  try {
    expect(
      await whole.$queryRaw`SELECT current_setting('jit') AS jit, current_setting('statement_timeout') AS time`,
    ).toEqual([{ jit: 'off', time: '5s' }]);
  } finally {
    await whole.$disconnect();
  }
});
