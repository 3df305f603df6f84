import { startPostgres } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from './index';
import { findMigrationsFolder } from './migrations-folder';
import { createSchemaEngine, EnginePostgresAdapter } from './schema-engine';

describe('the migrations and the Prisma schema', () => {
  let postgres: PostgresServer;
  beforeAll(async () => (postgres = await startPostgres()));
  afterAll(() => postgres.stop());

  it('describe the same tables: a migrated database needs no further change', async () => {
    await migrate(postgres.url);
    const folder = join(findMigrationsFolder(), '..', 'schema');
    const files = readdirSync(folder).map((name) => {
      return { path: join(folder, name), content: readFileSync(join(folder, name), 'utf8') };
    });
    const adapter = new EnginePostgresAdapter({ connectionString: postgres.url });
    const engine = await createSchemaEngine(
      adapter,
      files.map(({ path, content }) => [path, content]),
    );
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: folder },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    engine.free();
    await adapter.close();
    expect(stdout).toBe('-- This is an empty migration.\n\n');
  });
});
