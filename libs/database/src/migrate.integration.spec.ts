import { eventually, startPostgres, startTcpProxy } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { migrate, migrateAsOwner, migrateWhenReachable } from './index';
import { createCatalogDatabase } from './catalog';
import { EnginePostgresAdapter } from './schema-engine';

describe('migrate', () => {
  let postgres: PostgresServer;
  beforeAll(async () => (postgres = await startPostgres()));
  afterAll(() => postgres.stop());

  const inDatabase = (name: string) => new URL(name, postgres.url).href;

  it('makes a missing database and applies every migration once, although four services start at once', async () => {
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(postgres.url)));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    expect(await migrate(postgres.url)).toEqual([]);
  });

  it('waits for a server that takes connections and is silent, as for one that is not there', async () => {
    const link = await startTcpProxy(Number(new URL(postgres.url).port));
    const url = new URL(postgres.url);
    url.port = String(link.port);
    link.freeze();
    const waited: Error[] = [];
    const migrated = migrateWhenReachable(url.href, (error) => waited.push(error));
    await eventually(() => waited.length > 0);
    link.resume();
    await expect(migrated).resolves.toEqual([]);
    await link.close();
  });

  it('has so much patience with a server that is away', async () => {
    const link = await startTcpProxy(Number(new URL(postgres.url).port));
    const url = new URL(postgres.url);
    url.port = String(link.port);
    link.freeze();
    await expect(migrateAsOwner(url.href)).rejects.toThrow('timeout');
    const waited: Error[] = [];
    const comesUp = (error: Error) => {
      waited.push(error);
      link.resume();
    };
    await migrateAsOwner(url.href, 60_000, comesUp);
    // A busy machine may be late once more.
    expect(waited.length).toBeGreaterThan(0);
    await link.close();
  });

  it('waits for no lock where there is nothing to do, and says what it waits for where there is', async () => {
    await migrate(postgres.url);
    const other = await sessionOf(postgres.url);
    await other.query('CREATE DATABASE empty');
    await holdLock(other);
    expect(await migrate(postgres.url)).toEqual([]);
    await other.end();

    const empty = inDatabase('empty');
    const holder = await sessionOf(empty);
    await holdLock(holder);
    const reasons: string[] = [];
    const onWaiting = ({ message }: Error) => {
      reasons.push(message);
      void holder.end();
    };
    expect(await migrate(empty, { lockWaitMs: 10, onWaiting })).not.toEqual([]);
    expect(reasons[0]).toBe('Another instance holds the lock of the migrations');
  });

  it('asks again, and says so, where the server takes long for an answer', async () => {
    await migrate(postgres.url);
    const holder = await sessionOf(postgres.url);
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE _prisma_migrations');
    const waited: Error[] = [];
    const onWaiting = (reason: Error) => {
      waited.push(reason);
      // A busy machine may be late for its connection as well.
      if (reason.message === 'Query read timeout') void holder.end();
    };
    await expect(migrateWhenReachable(postgres.url, onWaiting, { lockWaitMs: 10, answerMs: 100 })).resolves.toEqual([]);
    expect(waited.map(({ message }) => message)).toContain('Query read timeout');
  });

  it('lets a migration take longer than its role may take for a statement', async () => {
    await migrate(postgres.url);
    const impatient = new URL(postgres.url);
    impatient.searchParams.set('options', '-c statement_timeout=100');
    const adapter = new EnginePostgresAdapter({ connectionString: impatient.href });
    const connection = await adapter.connect();
    await connection.executeScript('SELECT pg_sleep(0.3); SELECT 1;');
    await adapter.close();
  });

  it('builds an index beside those who write, outside of any transaction and for as long as it takes', async () => {
    await migrate(postgres.url);
    const impatient = new URL(postgres.url);
    impatient.searchParams.set('options', '-c statement_timeout=100');
    const adapter = new EnginePostgresAdapter({ connectionString: impatient.href });
    const connection = await adapter.connect();
    const reader = await sessionOf(postgres.url);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT 1');
    setTimeout(() => void reader.query('COMMIT').then(() => reader.end()), 400);
    await connection.executeScript('-- why\nCREATE INDEX CONCURRENTLY of_spec ON api_key (name);\n');
    const session = await sessionOf(postgres.url);
    const { rows } = await session.query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'of_spec'::regclass");
    expect(rows).toEqual([{ indisvalid: true }]);
    await session.query('DROP INDEX of_spec');
    await session.end();
    await adapter.close();
  });

  it('builds an index anew of which something is left, as whoever built it was cut off', async () => {
    await migrate(postgres.url);
    const adapter = new EnginePostgresAdapter({ connectionString: postgres.url });
    const connection = await adapter.connect();
    const session = await sessionOf(postgres.url);
    const states = (name: string) =>
      session.query(
        "SELECT indisvalid, pg_get_indexdef(indexrelid) LIKE '%(name)' AS is_new FROM pg_index WHERE indexrelid = $1::regclass",
        [name],
      );
    for (const name of ['half_made', '"Made"']) {
      await session.query(`CREATE INDEX ${name} ON api_key (id)`);
      if (name === 'half_made')
        await session.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${name}'::regclass`);
      await connection.executeScript(`-- why\nCREATE INDEX CONCURRENTLY ${name} ON api_key (name);\n`);
      expect((await states(name)).rows).toEqual([{ indisvalid: true, is_new: true }]);
      await session.query(`DROP INDEX ${name}`);
    }
    await session.end();
    await adapter.close();
  });

  it('is not held up by the others that wait for it, where an index is built beside those who write', async () => {
    const session = await sessionOf(postgres.url);
    await session.query('CREATE DATABASE many');
    await session.end();
    const reasons: Error[] = [];
    // Longer than this test may take.
    const times = { lockWaitMs: 600_000, onWaiting: (reason: Error) => reasons.push(reason) };
    await Promise.all(Array.from({ length: 4 }, () => migrate(inDatabase('many'), times)));
    expect(reasons).toEqual([]);
  });

  it('says what to set where it meets a pooler, and waits for none', async () => {
    const front = await startRefusingFront(postgres.url);
    const waited: Error[] = [];
    await expect(migrateWhenReachable(front.url, (error) => waited.push(error))).rejects.toThrow(
      /set DATABASE_DIRECT_URL/,
    );
    expect(waited).toEqual([]);
    const database = createCatalogDatabase(front.url, { pooled: true });
    expect(await database.price.count()).toBe(0);
    await database.$disconnect();
    await front.close();
  });

  it('loads the schema engine only where a migration is missing, because it costs memory for good', async () => {
    await migrate(postgres.url);
    await jest.isolateModulesAsync(async () => {
      const createSchemaEngine = jest.fn(() => Promise.reject(new Error('loaded')));
      jest.doMock('./schema-engine', () => ({
        createSchemaEngine,
        withPanicMessage: jest.fn(),
        EnginePostgresAdapter,
      }));
      const { migrate: migrateAgain } = await import('./migrate');
      expect(await migrateAgain(postgres.url)).toEqual([]);
      const database = createCatalogDatabase(postgres.url);
      await database.$executeRaw`UPDATE _prisma_migrations SET checksum = 'other' WHERE started_at = (SELECT max(started_at) FROM _prisma_migrations)`;
      await database.$disconnect();
      await expect(migrateAgain(postgres.url)).rejects.toThrow('loaded');
    });
  });

  it('refuses two prices of one model at one time', async () => {
    const database = createCatalogDatabase(postgres.url);
    const price = { model: 'a/b', inputPico: 1n, outputPico: 2n, source: 'test' };
    const at = (day: number) => new Date(Date.UTC(2026, 0, day));
    await database.price.create({ data: { ...price, validFrom: at(1), validTo: at(10) } });
    await database.price.create({ data: { ...price, validFrom: at(10) } });
    await expect(database.price.create({ data: { ...price, validFrom: at(5), validTo: at(6) } })).rejects.toThrow(
      /price_no_overlap/,
    );
    await database.$disconnect();
  });
});

async function sessionOf(url: string): Promise<Client> {
  const session = new Client(url);
  await session.connect();
  return session;
}

async function holdLock(session: Client): Promise<void> {
  await session.query('BEGIN');
  await session.query('SELECT pg_advisory_xact_lock(7401655928)');
}

/** Refuses parameters of sessions as PgBouncer does, in its words, and hands everything else to Postgres. */
async function startRefusingFront(postgresUrl: string): Promise<{ url: string; close(): Promise<void> }> {
  const taken = ['user', 'database', 'application_name', 'client_encoding'];
  const server = createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', (startup) => {
      const words = startup.subarray(8).toString().split('\0');
      const refused = words.find((word, index) => index % 2 === 0 && word !== '' && !taken.includes(word));
      if (refused !== undefined) {
        const fields = `SFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`;
        const head = Buffer.from('E\0\0\0\0');
        head.writeInt32BE(fields.length + 4, 1);
        client.end(Buffer.concat([head, Buffer.from(fields)]));
        return;
      }
      const target = connect(Number(new URL(postgresUrl).port), '127.0.0.1');
      target.on('error', () => client.destroy());
      target.write(startup);
      client.pipe(target).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(postgresUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
