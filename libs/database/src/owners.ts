import type { PrismaClient } from './generated/client';

type Reads = 'findMany' | 'findFirst' | 'findUnique' | 'count';

/**
 * The tables each service may touch: its own (one schema file per owner in prisma/schema), and what it may read of another's.
 * A model added to an owner's schema file is added here.
 */
export interface OwnedTables {
  accounts: Pick<
    PrismaClient,
    | 'account'
    | 'apiKey'
    | 'keyRevision'
    | 'keyChange'
    | 'accountAudit'
    | 'person'
    | 'session'
    | 'oneTimeToken'
    | 'throttle'
    | 'oidcAttempt'
    | 'mail'
    | 'retirementNotice'
  >;
  catalog: Pick<
    PrismaClient,
    'price' | 'importedPrice' | 'disabledModel' | 'approvedModel' | 'heldDeployment' | 'catalogRevision'
  >;
  metering: Pick<
    PrismaClient,
    | 'usageEvent'
    | 'usageMinute'
    | 'usageHour'
    | 'quotaMonth'
    | 'quotaLease'
    | 'unsettledLease'
    | 'contentLog'
    | 'storedTurn'
    | 'providerBill'
    | 'billedLine'
    | 'billedMinute'
    | 'ratedLine'
  > & {
    price: Pick<PrismaClient['price'], Reads>;
    catalogRevision: Pick<PrismaClient['catalogRevision'], Reads>;
  };
}

/** A service whose tables are in the database. */
export type Owner = keyof OwnedTables;
