import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { AbsentError, installPackages } from '../clients/install';
import { sitePackages } from './litellm/install-litellm';

/** What LiteLLM's own proxy installs for its tables. https://pypi.org/project/litellm-proxy-extras/ */
export const litellmTables = 'litellm-proxy-extras==0.4.108';

export interface Migration {
  name: string;
  sql: string;
}

/**
 * LiteLLM's migrations in the order in which Prisma applies them: by name. `installed`: a Python that has
 * them; null: they are installed alone.
 * @throws AbsentError without PyPI
 */
export async function litellmMigrations(installed: string | null): Promise<Migration[]> {
  const environment = installed ?? (await installPackages({ packages: [litellmTables], registry: 'PyPI' }));
  const folder = join(sitePackages(environment), 'litellm_proxy_extras/migrations');
  if (!existsSync(folder)) throw new AbsentError(`${litellmTables} has no migrations where they were.`);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
}

/**
 * Applies them to an empty database. What may not run in a transaction, and so not beside other statements,
 * goes alone.
 * @throws Error naming the migration that this Postgres does not take
 */
export async function applyMigrations(client: ClientBase, migrations: readonly Migration[]): Promise<void> {
  for (const { name, sql } of migrations)
    try {
      await client.query(sql);
    } catch (error) {
      throw new Error(`Postgres does not take LiteLLM's migration ${name}: ${String(error)}`, { cause: error });
    }
}
