import type { AccountsQueries } from '../storage/storage';
import type { PlanTable } from '../plans/plan-table';

/** A line of the audit log. `detail` says what was asked for and what it was before; never a key or a digest. */
export interface AuditEntry {
  actor: string;
  action: string;
  accountId: string;
  keyId?: string;
  detail: Record<string, string | number | boolean | string[] | null>;
}

/** A change in the making: everything it does becomes true together or not at all. */
export class Change {
  constructor(
    readonly transaction: AccountsQueries,
    /** The plans in force. */
    readonly plans: PlanTable,
  ) {}

  /** Gives each key a new version and leaves word for edges. Call it once, after the last write: a version must tell the whole change. */
  async touchKeys(keyIds: readonly string[]): Promise<void> {
    if (keyIds.length === 0) return;
    const ids = [...keyIds];
    await this.transaction.$executeRaw`
      WITH counted AS (
        UPDATE key_revision SET revision = revision + ${BigInt(ids.length)} RETURNING revision - ${BigInt(ids.length)} AS base
      ), numbered AS (
        SELECT id, base + ordinality AS revision FROM counted, unnest(${ids}::uuid[]) WITH ORDINALITY AS touched (id, ordinality)
      ), versioned AS (
        UPDATE api_key SET version = numbered.revision FROM numbered WHERE api_key.id = numbered.id
      )
      INSERT INTO key_change (revision, key_id) SELECT revision, id FROM numbered`;
  }

  async audit({ actor, action, accountId, keyId, detail }: AuditEntry): Promise<void> {
    await this.transaction.accountAudit.create({ data: { actor, action, accountId, keyId: keyId ?? null, detail } });
  }
}
