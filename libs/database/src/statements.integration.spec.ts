import { setImmediate } from 'node:timers/promises';
import { eventually, patience, startPostgres } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { Client } from 'pg';
import { isDatabaseUnavailable, isDataRefused } from './database-unavailable';
import * as Prisma from './sql';
import { createStatementPool } from './statements';
import type { StatementPool, Statements } from './statements';

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

/** A machine that does much else may give up any statement of a short time. */
const succeeds = (done: Promise<unknown>): Promise<boolean> =>
  done.then(
    () => true,
    () => false,
  );

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

it('sees one moment in all statements of a transaction where that is asked, and each its own otherwise', async () => {
  const seen = (isolationLevel?: 'RepeatableRead') =>
    pool.transaction(
      async (own) => {
        const count = async () =>
          (await own.$queryRaw<{ notes: bigint }[]>`SELECT count(*) AS notes FROM note`)[0]?.notes;
        const before = await count();
        await other.query(`INSERT INTO note VALUES ('meanwhile')`);
        return [before, await count()];
      },
      isolationLevel === undefined ? {} : { isolationLevel },
    );
  expect(await seen('RepeatableRead')).toEqual([0n, 0n]);
  expect(await seen()).toEqual([1n, 2n]);
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

it('plans a statement once for a connection, unless asked otherwise, and for none of a pooler', async () => {
  const planned = async (options: { pooled?: boolean; isPlannedOnce?: boolean }): Promise<number[]> => {
    const own = createStatementPool(url, 'metering', { ...times, connections: 1, ...options });
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
  expect(await planned({})).toEqual([1]);
  expect(await planned({ isPlannedOnce: false })).toEqual([0]);
  expect(await planned({ pooled: true })).toEqual([0]);
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

it('says that Postgres is away where a connection ended between two statements', async () => {
  const cut = pool.transaction(async (own) => {
    const [{ pid } = { pid: 0 }] = await own.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    await other.query(`SELECT pg_terminate_backend(${pid}, 10_000)`);
    // What the server said last is read before more is asked.
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    await own.$queryRaw`SELECT 1`;
  });
  const error = await cut.catch((reason: unknown) => reason);
  expect([error, isDatabaseUnavailable(error)]).toEqual([expect.any(Error), true]);
});

it('takes no statement of a transaction that is over, on a connection that others have by then', async () => {
  const kept: Statements[] = [];
  const failed = pool.transaction((own) => {
    kept.push(own);
    return Promise.reject(new Error('on purpose'));
  });
  await expect(failed).rejects.toThrow('on purpose');
  await pool.transaction(async (own) => {
    kept.push(own);
    await own.$queryRaw`SELECT 1`;
  });
  expect(kept).toHaveLength(2);
  for (const own of kept)
    await expect(own.$executeRaw`INSERT INTO note VALUES ('late')`).rejects.toThrow('transaction is over');
  expect(await notes()).toEqual([]);
});

it('does not keep a connection whose server takes no writes any more', async () => {
  const note = () => pool.transaction((own) => own.$executeRaw`INSERT INTO note VALUES ('written')`);
  await pool.transaction((own) => own.$executeRaw`SET default_transaction_read_only = on`);
  await expect(note()).rejects.toMatchObject({ code: '25006' });
  await note();
  expect(await notes()).toEqual(['written']);
});

it('does not keep a connection that planned a statement whose columns are others now', async () => {
  await other.query('CREATE TABLE changed (id int)');
  const read = () => pool.transaction((own) => own.$queryRaw`SELECT * FROM changed`);
  await read();
  await other.query('ALTER TABLE changed ALTER id TYPE bigint');
  await expect(read()).rejects.toMatchObject({ code: '0A000' });
  expect(await read()).toEqual([]);
});

it('goes on without names where they do not hold, as behind a pooler that nobody told of', async () => {
  const own = createStatementPool(url, 'metering', { ...times, connections: 1 });
  const ask = () => own.transaction((statements) => statements.$queryRaw`SELECT 'asked' AS text`);
  const planned = () =>
    own.transaction((statements) => statements.$queryRaw`SELECT name FROM pg_prepared_statements WHERE name <> ''`);
  try {
    await ask();
    expect(await planned()).toHaveLength(2);
    await own.transaction((statements) => statements.$executeRaw`DEALLOCATE ALL`);
    await expect(ask()).rejects.toMatchObject({ code: '26000' });
    expect(await ask()).toEqual([{ text: 'asked' }]);
    expect(await planned()).toEqual([]);
  } finally {
    await own.end();
  }
});

it('gives up a transaction whose statements, each of them quick, do not come to an end', async () => {
  const own = createStatementPool(url, 'metering', { ...times, connections: 1, statementTimeoutMs: 100, pooled: true });
  const endless = () =>
    own.transaction(async (statements) => {
      await statements.$executeRaw`INSERT INTO note VALUES ('late')`;
      for (;;) await statements.$queryRaw`SELECT pg_sleep(0.01)::text`;
    });
  try {
    // A machine that does much else may give up one of the statements before.
    const error = await eventually(
      () => endless().catch((reason: unknown) => reason),
      (reason) => String(reason).includes('transaction timeout'),
    );
    expect([isDatabaseUnavailable(error), isDataRefused(error)]).toEqual([true, false]);
    await eventually(() => succeeds(own.transaction((on) => on.$executeRaw`INSERT INTO note VALUES ('after')`)));
    expect(await notes()).not.toContain('late');
  } finally {
    await own.end();
  }
});

it('leaves nothing of a transaction whose statement was given up, and nothing on its connection', async () => {
  const own = createStatementPool(url, 'metering', { ...times, connections: 1, statementTimeoutMs: 100, pooled: true });
  try {
    await other.query('BEGIN; LOCK TABLE held');
    try {
      // A machine that does much else may give up what comes before it.
      await eventually(async () => {
        let wasAsked = false;
        const givenUp = own.transaction(async (statements) => {
          await statements.$executeRaw`INSERT INTO note VALUES ('given up')`;
          wasAsked = true;
          await statements.$queryRaw`SELECT FROM held`;
        });
        const why = await givenUp.catch(String);
        return wasAsked && String(why).includes('Query read timeout');
      });
    } finally {
      await other.query('COMMIT');
    }
    await eventually(() => succeeds(own.transaction((on) => on.$executeRaw`INSERT INTO note VALUES ('after')`)));
    expect(await notes()).not.toContain('given up');
  } finally {
    await own.end();
  }
});
