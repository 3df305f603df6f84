import { eventually, startPostgres } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate, migrateAsOwner } from './index';
import { findMigrationsFolder } from './migrations-folder';
import { createMeteringDatabase } from './metering';
import { ownedModels } from './owners';
import { createStatementPool } from './statements';

const password = "it's made by make-secrets.sh";
/** What psql would send. */
const rolesScript = readFileSync(join(findMigrationsFolder(), '../../deploy/postgres/roles.sql'), 'utf8').replaceAll(
  /:'\w+'/g,
  `'${password.replace("'", "''")}'`,
);

let postgres: PostgresServer;
let sessions: Client[] = [];
beforeAll(async () => (postgres = await startPostgres()));
afterEach(async () => {
  await Promise.all(sessions.map((session) => session.end()));
  sessions = [];
});
afterAll(() => postgres.stop());

/** Of the superuser, where `role` is null. */
function urlOf(database: string, role: string | null = null): string {
  const url = new URL(`/${database}`, postgres.url);
  if (role) Object.assign(url, { username: `tollgate_${role}`, password: encodeURIComponent(password) });
  return url.href;
}

async function sessionOf(url: string): Promise<Client> {
  const session = new Client({ connectionString: url });
  await session.connect();
  sessions.push(session);
  return session;
}

/** A database with roles, which either was there before them, or not. */
async function databaseWithRoles(name: string, isOld: boolean): Promise<void> {
  await (await sessionOf(urlOf('postgres'))).query(`CREATE DATABASE ${name}`);
  if (isOld) await migrate(urlOf(name));
  await (await sessionOf(urlOf(name))).query(rolesScript);
}

const refused = { code: '42501' };

it.each([
  ['new', false],
  ['old', true],
])('lets each service at its own tables in a %s database, and at no others', async (name, isOld) => {
  await databaseWithRoles(name, isOld);
  expect((await migrateAsOwner(urlOf(name, 'migrations'))).length > 0).toBe(!isOld);
  const accounts = await sessionOf(urlOf(name, 'accounts'));
  const catalog = await sessionOf(urlOf(name, 'catalog'));
  const metering = await sessionOf(urlOf(name, 'metering'));
  await accounts.query(`INSERT INTO throttle SELECT * FROM throttle`);
  await accounts.query(`SELECT move_budget_sums('', '{}', '{}')`);
  await catalog.query('UPDATE price SET model = model');
  await metering.query('DELETE FROM usage_event');
  await metering.query('SELECT model FROM price');
  for (const [session, statement] of [
    [accounts, 'SELECT FROM usage_event'],
    [accounts, 'SELECT FROM price'],
    [catalog, 'SELECT FROM api_key'],
    [catalog, 'SELECT FROM session'],
    [catalog, "SELECT move_budget_sums('', '{}', '{}')"],
    [metering, 'SELECT FROM person'],
    [metering, 'UPDATE price SET model = model'],
    [metering, 'DROP TABLE usage_event'],
    [metering, 'CREATE TABLE mine ()'],
    [accounts, "SELECT add_month('usage_event', 'born_at', '2031-01-01')"],
    [accounts, "UPDATE _prisma_migrations SET checksum = ''"],
  ] as const)
    await expect(session.query(statement)).rejects.toMatchObject(refused);
});

it('lets metering make, add to, compare and remove blocks of days, and nobody else', async () => {
  await databaseWithRoles('blocks', false);
  await migrateAsOwner(urlOf('blocks', 'migrations'));
  const metering = await sessionOf(urlOf('blocks', 'metering'));
  const start = `SELECT start_usage_block('account', '', 1, '2024-09-02') AS mark`;
  const { rows } = await metering.query<{ mark: string }>(start);
  await metering.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await metering.query('SELECT finish_usage_block($1)', [rows[0]?.mark]);
  await metering.query('SELECT extend_usage_block(1)');
  await metering.query('COMMIT');
  for (const made of ['usage_block_lines', 'usage_block_model_rows', 'usage_block_rows'])
    await metering.query(
      `SELECT FROM ${made}('account', '', '2024-09-02'${made.endsWith('rows') ? ", '2024-09-03'" : ''})`,
    );
  for (const made of ['usage_block_cuts', 'usage_block_sheets'])
    await metering.query(`SELECT FROM ${made}(1, 'account', '', '2024-09-02')`);
  await metering.query(`SELECT FROM usage_block_owner_rows('2024-09-02', '2024-09-03')`);
  for (const table of [
    'usage_block_owners',
    'usage_block_points',
    'usage_block_line',
    'usage_block_model_sum',
    'usage_block_chart',
    'usage_block_sum',
    'usage_block',
  ])
    await metering.query(`DELETE FROM ${table}`);
  await metering.query(`SELECT make_usage_block('account', '', 1, '2024-09-02')`);
  const accounts = await sessionOf(urlOf('blocks', 'accounts'));
  for (const statement of [
    start,
    'SELECT finish_usage_block(1)',
    'SELECT extend_usage_block(1)',
    'SELECT FROM usage_block_line',
  ])
    await expect(accounts.query(statement)).rejects.toMatchObject(refused);
});

it('lets metering make and drop partitions, and the numbers of rows be counted', async () => {
  await databaseWithRoles('partitions', false);
  await migrateAsOwner(urlOf('partitions', 'migrations'));
  const metering = await sessionOf(urlOf('partitions', 'metering'));
  const made = await metering.query("SELECT add_month('usage_event', 'born_at', '2031-01-01') AS made");
  expect(made.rows).toEqual([{ made: true }]);
  const dropped = await metering.query("SELECT drop_months('usage_event', '2031-02-01') AS name");
  expect(dropped.rows).toEqual([{ name: 'usage_event_2031_01' }]);
  await metering.query("SELECT add_stored_turn_day('2031-01-01'), nextval('billed_line_id_seq')");
  await expect(metering.query("SELECT nextval('account_audit_id_seq')")).rejects.toMatchObject(refused);
});

it('gives every table to one service', async () => {
  await migrate(urlOf('complete'));
  const { rows } = await (
    await sessionOf(urlOf('complete'))
  ).query<{ relname: string }>(
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition",
  );
  const models = Object.values(ownedModels).flatMap<string>(({ writes }) => writes);
  const tables = models.map((model) => model.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  expect([...tables, '_prisma_migrations'].sort()).toEqual(rows.map(({ relname }) => relname).sort());
});

it('waits for migrations that its role may not apply', async () => {
  await databaseWithRoles('waiting', false);
  const reasons: string[] = [];
  let migrating: Promise<string[]> | undefined;
  const onWaiting = ({ message }: Error) => {
    reasons.push(message);
    migrating ??= migrateAsOwner(urlOf('waiting', 'migrations'));
  };
  expect(await migrate(urlOf('waiting', 'metering'), { onWaiting })).toEqual([]);
  await migrating;
  expect(reasons[0]).toContain('run tollgate migrate');
});

describe('rights that a release of before took away', () => {
  const takes = async (name: string) => {
    const owner = await sessionOf(urlOf(name, 'migrations'));
    await owner.query('REVOKE ALL ON ALL TABLES IN SCHEMA public FROM tollgate_metering');
    await owner.query('GRANT SELECT, DELETE ON usage_event TO tollgate_metering');
  };

  it.each(['pool of statements', 'client'])('are given again to a %s that is refused something', async (how) => {
    const name = `taken_${how.length}`;
    await databaseWithRoles(name, false);
    await migrateAsOwner(urlOf(name, 'migrations'));
    await takes(name);
    const url = urlOf(name, 'metering');
    const pool = createStatementPool(url, 'metering');
    const client = createMeteringDatabase(url);
    const ask = (): Promise<unknown> =>
      how === 'client'
        ? client.storedBytes.count()
        : pool.transaction((transaction) => transaction.$queryRaw`SELECT FROM usage_block_points`);
    try {
      await expect(ask()).rejects.toThrow(/denied/);
      await eventually(() =>
        ask().then(
          () => true,
          () => false,
        ),
      );
      const metering = await sessionOf(url);
      await expect(metering.query('SELECT FROM person')).rejects.toMatchObject(refused);
      await expect(metering.query('UPDATE price SET model = model')).rejects.toMatchObject(refused);
    } finally {
      await pool.end();
      await client.$disconnect();
    }
  });

  it('are not taken by one that knows of newer tables, which leaves what gives them again', async () => {
    await databaseWithRoles('newer', false);
    await migrateAsOwner(urlOf('newer', 'migrations'));
    const owner = await sessionOf(urlOf('newer', 'migrations'));
    await owner.query(
      "UPDATE _prisma_migrations SET migration_name = '20991231000000_newer' WHERE migration_name LIKE '%points'",
    );
    await owner.query('CREATE TABLE newest (); GRANT SELECT ON newest TO tollgate_metering');
    const body = "SELECT prosrc FROM pg_proc WHERE proname = 'give_rights'";
    await owner.query("CREATE OR REPLACE FUNCTION give_rights() RETURNS VOID LANGUAGE sql AS 'SELECT'");
    await migrateAsOwner(urlOf('newer', 'migrations'));
    await (await sessionOf(urlOf('newer', 'metering'))).query('SELECT FROM newest');
    expect((await owner.query(body)).rows).toEqual([{ prosrc: 'SELECT' }]);
  });
});

it('may be run again, and changes a password', async () => {
  await databaseWithRoles('again', false);
  const superuser = await sessionOf(urlOf('again'));
  const kept = async () => (await superuser.query<{ rolpassword: string }>(passwordOf)).rows[0]?.rolpassword;
  const before = await kept();
  await superuser.query(rolesScript.replaceAll(password.replace("'", "''"), 'another'));
  expect(await kept()).toMatch(/^SCRAM-SHA-256/);
  expect(await kept()).not.toBe(before);
});

const passwordOf = "SELECT rolpassword FROM pg_authid WHERE rolname = 'tollgate_accounts'";
