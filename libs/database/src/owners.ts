import type { PrismaClient as AccountsClient } from './generated/accounts/client';
import type { PrismaClient as CatalogClient } from './generated/catalog/client';
import type { PrismaClient as MeteringClient } from './generated/metering/client';

/** The generated client of each owner. */
export interface Clients {
  accounts: AccountsClient;
  catalog: CatalogClient;
  metering: MeteringClient;
}

/** What may be done with the table of another service. */
type Reads = 'findMany' | 'findFirst' | 'findUnique' | 'count';

/**
 * The models each service may touch: its own (one schema file per owner in prisma/schema), and what it may
 * read of another's. The types of the clients and the rights of the roles in Postgres follow from it. A model
 * added to an owner's schema file is added here.
 */
export const ownedModels = {
  accounts: {
    writes: [
      'account',
      'apiKey',
      'ownKey',
      'projectOwnKey',
      'keyRevision',
      'keyChange',
      'accountAudit',
      'person',
      'session',
      'oneTimeToken',
      'invitation',
      'directoryUser',
      'secondFactor',
      'recoveryCode',
      'secondFactorAttempt',
      'passkey',
      'passkeyChallenge',
      'throttle',
      'oidcAttempt',
      'mail',
      'retirementNotice',
      'budget',
      'budgetNotice',
      'budgetNameMail',
      'webhook',
      'webhookDelivery',
      'toldAlert',
      'adminToken',
      'adminDeed',
    ],
    reads: [],
  },
  catalog: {
    writes: [
      'price',
      'importedPrice',
      'setPrice',
      'setFactor',
      'disabledModel',
      'approvedModel',
      'heldDeployment',
      'settingsVersion',
      'providerKey',
      'incident',
      'catalogRevision',
    ],
    reads: [],
  },
  metering: {
    writes: [
      'usageEvent',
      'usageMinute',
      'usageHour',
      'usageEndedHours',
      'usageEndedOwners',
      'usageSliceHour',
      'usageSliceDay',
      'usageSliceNames',
      'usageBlock',
      'usageBlockStale',
      'usageBlockSum',
      'usageBlockModelSum',
      'usageBlockChart',
      'usageBlockLine',
      'usageBlockPoints',
      'usageBlockOwners',
      'usageBlockMade',
      'quotaMonth',
      'quotaLease',
      'unsettledLease',
      'contentLog',
      'storedTurn',
      'backgroundResponse',
      'conversation',
      'conversationItem',
      'storedBytes',
      'providerBill',
      'billedLine',
      'billedMinute',
      'ratedLine',
      'budgetSpent',
      'budgetNameSpent',
      'budgetLease',
      'refusal',
      'guardrailFinding',
    ],
    reads: ['price', 'catalogRevision', 'budget'],
  },
} as const satisfies {
  [For in keyof Clients]: { writes: readonly (keyof Clients[For])[]; reads: readonly (keyof AllClients)[] };
};

/** A service whose tables are in the database. */
export type Owner = keyof Clients;

type AllClients = AccountsClient & CatalogClient & MeteringClient;
type Writes<For extends Owner> = (typeof ownedModels)[For]['writes'][number];
type ReadBy<For extends Owner> = (typeof ownedModels)[For]['reads'][number];

/** The part of an owner's client that is its own. What it reads by SQL alone, its client does not have. */
export type OwnedTables = {
  [For in Owner]: Pick<Clients[For], Writes<For> & keyof Clients[For]> & {
    [Model in ReadBy<For> & keyof Clients[For]]: Pick<Clients[For][Model], Reads & keyof Clients[For][Model]>;
  };
};
