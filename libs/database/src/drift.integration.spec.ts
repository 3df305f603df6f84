import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import { startPostgres } from '@tollgate/testing';
import type { PostgresServer } from '@tollgate/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryArrayConfig, QueryArrayResult } from 'pg';
import { migrate } from './index';
import { findMigrationsFolder } from './migrations-folder';
import { createSchemaEngine, EnginePostgresAdapter, withPanicMessage } from './schema-engine';

/** The object ids of two types of Postgres: the one-byte "char" of its catalogs, and text. */
const types = { char: 18, text: 25 };

/**
 * The adapter does not know the type "char": it is read as text here, and handed to the engine as a
 * character. One query at a time.
 */
class CatalogReadingAdapter extends EnginePostgresAdapter {
  override async connect() {
    const connection = await super.connect();
    const pool = connection.underlyingDriver();
    const query = pool.query.bind(pool);
    let characters: number[] = [];
    const readable = async (config: QueryArrayConfig): Promise<QueryArrayResult> => {
      const result = await query(config);
      characters = result.fields.flatMap((field, index) => (field.dataTypeID === types.char ? [index] : []));
      for (const field of result.fields) if (field.dataTypeID === types.char) field.dataTypeID = types.text;
      return result;
    };
    const queryRaw = connection.queryRaw.bind(connection);
    connection.queryRaw = async (statement) => {
      const result = await queryRaw(statement);
      for (const index of characters) result.columnTypes[index] = ColumnTypeEnum.Character;
      return result;
    };
    return Object.assign(connection, { client: Object.assign(Object.create(pool), { query: readable }) });
  }
}

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
    const adapter = new CatalogReadingAdapter({ connectionString: postgres.url });
    const engine = await createSchemaEngine(
      adapter,
      files.map(({ path, content }) => [path, content]),
    );
    const { stdout } = await withPanicMessage(() =>
      engine.diff({
        from: { tag: 'schemaDatasource', files, configDir: folder },
        to: { tag: 'schemaDatamodel', files },
        script: true,
        exitCode: true,
        filters: { externalTables: [], externalEnums: [] },
      }),
    );
    engine.free();
    await adapter.close();
    expect(stdout?.trim()).toBe('-- This is an empty migration.');
  });
});
