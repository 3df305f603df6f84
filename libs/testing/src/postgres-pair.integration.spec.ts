import { Client } from 'pg';
import { eventually } from './eventually';
import { startPostgresPair } from './postgres-pair';
import type { PostgresPair } from './postgres-pair';

describe('a Postgres with a standby', () => {
  let pair: PostgresPair;
  const query = async (sql: string) => {
    const client = new Client({ connectionString: pair.url.replace(/\/tollgate$/, '/postgres') });
    await client.connect();
    try {
      return (await client.query<{ value: string }>(sql)).rows.map(({ value }) => value);
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    pair = await startPostgresPair();
  });
  afterAll(() => pair.stop());

  it('keeps what was committed through a takeover where the standby is synchronous, and loses what an asynchronous one had not heard', async () => {
    await query(`CREATE TABLE kept AS SELECT 'first' AS value`);
    await pair.setSynchronous(true);
    await query(`INSERT INTO kept VALUES ('second')`);
    await pair.failOver();
    expect(await query('SELECT value FROM kept')).toEqual(['first', 'second']);

    await pair.rebuildStandby();
    await pair.holdStandbyBack();
    await query(`INSERT INTO kept VALUES ('third')`);
    await pair.failOver();
    await eventually(async () => (await query('SELECT value FROM kept')).length > 0);
    expect(await query('SELECT value FROM kept')).toEqual(['first', 'second']);
  }, 600_000);
});
