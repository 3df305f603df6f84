export type { Database, DatabaseOptions, Queries } from './create-database';
export { DatabasePulse } from './database-pulse';
export {
  isDataRefused,
  isTableMissing,
  isDatabaseUnavailable,
  isStatementTimeout,
  isUuid,
  isWriteConflict,
} from './database-unavailable';
export type { Price } from './generated/catalog/client';
export { migrate, migrateAsOwner, migrateWhenReachable } from './migrate';
export type { Owner } from './owners';
export { createStatementPool, type StatementPool, type Statements } from './statements';
export { fromPriceColumns, toPicoPerToken, toPriceColumns, type PriceColumns } from './price-columns';
export * as Prisma from './sql';
