import { startPostgres, startTcpProxy } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, migrate, migrateWhenReachable } from './index';
import { EnginePostgresAdapter } from './schema-engine';

describe('migrate', () => {
  let postgres: PostgresServer;
  beforeAll(async () => (postgres = await startPostgres()));
  afterAll(() => postgres.stop());

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
    await delay(4_000);
    expect(waited).toHaveLength(1);
    link.resume();
    await expect(migrated).resolves.toEqual([]);
    await link.close();
  }, 30_000);

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
      const database = createDatabase(postgres.url, 'catalog');
      await database.$executeRaw`UPDATE _prisma_migrations SET checksum = 'other' WHERE started_at = (SELECT max(started_at) FROM _prisma_migrations)`;
      await database.$disconnect();
      await expect(migrateAgain(postgres.url)).rejects.toThrow('loaded');
    });
  });

  it('refuses two prices of one model at one time', async () => {
    const database = createDatabase(postgres.url, 'catalog');
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
