import { eventually, patience, startPostgres } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { Client } from 'pg';
import { Prisma } from './generated/client';
import { createStatementPool } from './statements';
import type { StatementPool } from './statements';

/** A busy machine is not one whose Postgres is away. */
const times = { connectTimeoutMs: 2_000 * patience, statementTimeoutMs: 5_000 * patience };
let postgres: PostgresServer;
let url: string;
let other: Client;
let pool: StatementPool;

beforeAll(async () => {
  postgres = await startPostgres();
  url = new URL('postgres', postgres.url).href;
  other = new Client({ connectionString: url });
  await other.connect();
  await other.query('CREATE TABLE note (text text); CREATE TABLE held ()');
  pool = createStatementPool(url, 'metering', { ...times, connections: 1 });
});
afterEach(() => other.query('DELETE FROM note'));
afterAll(async () => {
  await pool.end();
  await other.end();
  await postgres.stop();
});

const notes = async (): Promise<string[]> =>
  (await other.query<{ text: string }>('SELECT text FROM note')).rows.map(({ text }) => text);

it('keeps what a transaction did, and nothing of one that failed', async () => {
  const table = Prisma.sql`note`;
  expect(await pool.transaction((own) => own.$executeRaw`INSERT INTO ${table} VALUES (${'a'}), (${'b'})`)).toBe(2);
  const failing = pool.transaction(async (own) => {
    await own.$executeRaw`INSERT INTO note VALUES ('c')`;
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await notes()).toEqual(['a', 'b']);
});

it('tells values as Prisma does', async () => {
  const values = await pool.transaction(
    (own) => own.$queryRaw`SELECT 9007199254740993 AS whole, 7 AS small, null AS nothing, '{"a": [1]}'::jsonb AS json,
      ARRAY['x'] AS list, 'epoch'::timestamptz AS at`,
  );
  expect(values).toEqual([
    { whole: 9_007_199_254_740_993n, small: 7, nothing: null, json: { a: [1] }, list: ['x'], at: new Date(0) },
  ]);
});

it('says why Postgres refused a value', async () => {
  const refused = pool.transaction((own) => own.$queryRaw`SELECT ${'no number'}::int`);
  await expect(refused).rejects.toMatchObject({ code: '22P02' });
});

it('plans a statement once for a connection, and for none of a pooler', async () => {
  const planned = async (pooled: boolean): Promise<number[]> => {
    const own = createStatementPool(url, 'metering', { ...times, connections: 1, pooled });
    try {
      const ask = (value: string) => own.transaction((statements) => statements.$queryRaw`SELECT ${value}::text`);
      for (const value of ['a', 'b', 'c']) await ask(value);
      const count = await own.transaction(
        (statements) => statements.$queryRaw<{ texts: number }[]>`
          SELECT count(*) FILTER (WHERE statement LIKE 'SELECT $1::text')::int AS texts FROM pg_prepared_statements`,
      );
      return count.map(({ texts }) => texts);
    } finally {
      await own.end();
    }
  };
  expect(await planned(false)).toEqual([1]);
  expect(await planned(true)).toEqual([0]);
});

it('goes on with another connection where one ended in the middle', async () => {
  const cut = pool.transaction(async (own) => {
    await own.$executeRaw`INSERT INTO note VALUES ('cut')`;
    await other.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tollgate-metering'`,
    );
    await own.$executeRaw`INSERT INTO note VALUES ('cut')`;
  });
  await expect(cut).rejects.toThrow();
  await pool.transaction((own) => own.$executeRaw`INSERT INTO note VALUES ('after')`);
  expect(await notes()).toEqual(['after']);
});

it('leaves nothing of a transaction whose statement was given up, and nothing on its connection', async () => {
  const own = createStatementPool(url, 'metering', { ...times, connections: 1, statementTimeoutMs: 100, pooled: true });
  try {
    await other.query('BEGIN; LOCK TABLE held');
    const givenUp = own.transaction(async (statements) => {
      await statements.$executeRaw`INSERT INTO note VALUES ('given up')`;
      await statements.$queryRaw`SELECT FROM held`;
    });
    await expect(givenUp).rejects.toThrow();
    await other.query('COMMIT');
    // A machine that does much else may give up more than one.
    await eventually(() =>
      own
        .transaction((statements) => statements.$executeRaw`INSERT INTO note VALUES ('after')`)
        .then(
          () => true,
          () => false,
        ),
    );
    expect(await notes()).not.toContain('given up');
  } finally {
    await own.end();
  }
});
