import { createDatabase, type Database, type DatabaseOptions } from './create-database';
import { PrismaClient } from './generated/metering/client';

export type { UsageEventModel } from './generated/metering/models';

/** Opens the database as metering: see createDatabase. */
export function createMeteringDatabase(url: string, options?: DatabaseOptions): Database<'metering'> {
  return createDatabase(PrismaClient, url, 'metering', options);
}
