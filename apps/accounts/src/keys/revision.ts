import { callerKey, plan } from '@tollgate/contracts/accounts';
import { z } from 'zod';
import { PlanTable, type Plans } from '../accounts/plan-table';
import type { AccountsQueries } from '../storage';

/** Plans that are set without tollgate.yaml, and the version of the settings that they are of. */
export interface PlansOfSettings {
  version: number;
  plans: Plans;
}

/** The number of the newest change, and the plans that are in force for all instances. */
export interface Revision {
  revision: number;
  plans: PlanTable;
  ofSettings: PlansOfSettings;
}

const limit = z.number().nullable();
const storedPlans = z.record(
  z.string(),
  z.object({
    ...{ rpm: limit, tpm: limit.default(null), quotaTokens: limit, concurrency: limit.default(null) },
    modelLimits: callerKey.shape.modelLimits,
    origin: plan.shape.origin.unwrap().optional(),
  }),
);

interface RevisionRow {
  revision: bigint;
  plans: unknown;
  settingsPlans: unknown;
  settingsVersion: number;
}

/** Reads the newest committed revision. What is read of keys afterwards may be newer than it, never older. */
export async function readRevision(queries: Pick<AccountsQueries, 'keyRevision'>): Promise<Revision> {
  return toRevision(await queries.keyRevision.findUnique({ where: { id: 1 } }));
}

/**
 * Makes all other changes wait until this transaction ends. Without it, revisions would not be in the order
 * of commits.
 */
export async function lockRevision(transaction: AccountsQueries): Promise<Revision> {
  const [row] = await transaction.$queryRaw<RevisionRow[]>`
    SELECT revision, plans, settings_plans AS "settingsPlans", settings_version AS "settingsVersion"
    FROM key_revision FOR UPDATE`;
  return toRevision(row);
}

/**
 * From now on heartbeats say that keys of another gateway's form may be shown. Within a change only: it holds
 * the row.
 */
export async function noteImportedKeys({ keyRevision }: Pick<AccountsQueries, 'keyRevision'>): Promise<void> {
  await keyRevision.updateMany({ where: { importedKeys: false }, data: { importedKeys: true } });
}

function toRevision(row: RevisionRow | null | undefined): Revision {
  if (!row) throw new Error('the table key_revision has lost its row; restore it with the highest version of api_key');
  return {
    revision: Number(row.revision),
    plans: PlanTable.stored(storedPlans.parse(row.plans)),
    ofSettings: { version: row.settingsVersion, plans: storedPlans.parse(row.settingsPlans) },
  };
}
