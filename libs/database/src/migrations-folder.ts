import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm';

/**
 * Where the migrations are: TOLLGATE_MIGRATIONS_DIR, else `prisma/migrations` in the nearest folder above
 * this file. Source files, a bundle in dist/apps/<name> and an image with the same layout all find it that
 * way.
 */
export function findMigrationsFolder(): string {
  const named = process.env.TOLLGATE_MIGRATIONS_DIR;
  if (named) return named;
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'prisma', 'migrations');
    if (existsSync(candidate)) return candidate;
  }
  throw new Error(`There is no folder prisma/migrations above ${__dirname}. Set TOLLGATE_MIGRATIONS_DIR to it.`);
}

/** Reads all migrations, in the order of their names, as the schema engine wants them. */
export function readMigrations(folder: string = findMigrationsFolder()): MigrationList {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return {
    baseDir: folder,
    lockfile: { path: 'migration_lock.toml', content: readFileSync(join(folder, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: names.map((name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok', value: readFileSync(join(folder, name, 'migration.sql'), 'utf8') },
      },
    })),
  };
}
