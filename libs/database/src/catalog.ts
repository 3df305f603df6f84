import { createDatabase, type Database, type DatabaseOptions } from './create-database';
import { PrismaClient } from './generated/catalog/client';

export type { IncidentWhereInput } from './generated/catalog/models';

/** Opens the database as catalog: see createDatabase. */
export function createCatalogDatabase(url: string, options?: DatabaseOptions): Database<'catalog'> {
  return createDatabase(PrismaClient, url, 'catalog', options);
}
