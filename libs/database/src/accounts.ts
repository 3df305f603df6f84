import { createDatabase, type Database, type DatabaseOptions } from './create-database';
import { PrismaClient } from './generated/accounts/client';

/** Opens the database as accounts: see createDatabase. */
export function createAccountsDatabase(url: string, options?: DatabaseOptions): Database<'accounts'> {
  return createDatabase(PrismaClient, url, 'accounts', options);
}
