import { readEnvironment } from '@tollgate/configuration';
import { Command } from 'commander';
import { z } from 'zod';
import { readDurationS } from '../arguments/arguments';
import type { Surroundings } from '../gateway';

const variables = z.object({
  DATABASE_URL: z.string({ error: 'is required: the address of the Postgres database' }),
  DATABASE_DIRECT_URL: z.string().optional(),
});

/**
 * `migrate`: brings the database to this release's schema, and gives the roles of the services their rights.
 */
export function migrate({ environment, output }: Surroundings): Command {
  return new Command('migrate')
    .option('--wait <time>', 'how long to wait for a database that is away', readDurationS, 0)
    .option('--json', 'print JSON')
    .action(async ({ wait, json }: { wait: number; json?: boolean }) => {
      const { DATABASE_URL, DATABASE_DIRECT_URL } = readEnvironment(variables, environment);
      // The one command that needs the database's client takes the time to load it.
      const { migrateAsOwner } = await import('../migrate-as-owner');
      const applied = await migrateAsOwner(DATABASE_DIRECT_URL ?? DATABASE_URL, wait * 1_000);
      output.show({ applied }, json, () =>
        applied.length === 0 ? 'The schema is the newest.' : ['Applied:', ...applied].join('\n  '),
      );
    });
}
