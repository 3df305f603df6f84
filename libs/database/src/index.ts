export { createDatabase, type Database, type DatabaseOptions, type Queries } from './create-database';
export { DatabasePulse } from './database-pulse';
export { isDataRefused, isDatabaseUnavailable, isStatementTimeout, isUuid } from './database-unavailable';
export { Prisma, type Price } from './generated/client';
export { migrate, migrateAsOwner, migrateWhenReachable } from './migrate';
export type { Owner } from './owners';
export { createStatementPool, type StatementPool, type Statements } from './statements';
export { fromPriceColumns, toPicoPerToken, toPriceColumns, type PriceColumns } from './price-columns';
