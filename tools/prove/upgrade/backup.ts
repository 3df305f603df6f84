import type { Stack } from '../../stack/stack';
import { inSession } from '../cluster/sql';

const copy = 'backup_of_the_former_release';
/** Only they have the database open. */
const keepersOfRecords = ['metering', 'catalog', 'accounts'];

/** Copies the database as it is, without the services that have it open: they stop, and start again. */
export function backUp(stack: Stack): Promise<void> {
  return withoutServices(stack, (name) => [`CREATE DATABASE ${copy} TEMPLATE ${name}`]);
}

/** Has the copy take the place of the database, whose tables a newer release may have changed. */
export function restore(stack: Stack): Promise<void> {
  return withoutServices(stack, (name) => [
    `ALTER DATABASE ${name} RENAME TO database_that_is_lost`,
    `ALTER DATABASE ${copy} RENAME TO ${name}`,
  ]);
}

async function withoutServices(stack: Stack, statements: (name: string) => string[]): Promise<void> {
  const address = new URL(stack.databaseUrl);
  const name = `"${address.pathname.slice(1)}"`;
  address.pathname = '/postgres';
  const services = [...stack.processes.values()].filter((process) =>
    keepersOfRecords.some((service) => process.name.startsWith(service)),
  );
  await Promise.all(services.map((service) => service.stop()));
  await inSession(address.href, async (client) => {
    for (const statement of statements(name)) await client.query(statement);
  });
  await Promise.all(services.map((service) => service.startAgain()));
}
