import { Inject, Injectable } from '@nestjs/common';
import { accountsSubjects, toWireKey } from '@tollgate/contracts/accounts';
import { publishJson } from '@tollgate/messaging';
import { NATS, PeriodicWork, type Turns } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { withAccount } from './key-rows';
import { toCallerKey } from './stored-key';
import { Storage, type AccountsQueries } from '../storage';
import { readRevision } from './revision';

const batchSize = 500;
const heartbeatEveryMs = 1_000;
/** How long NATS may take to take what was published. */
const flushTimeoutMs = 1_000;

/**
 * What is known of changes at one instant: the newest revision, and a row for each change (one row of nulls
 * when there is none).
 */
type PendingRow = { newest: bigint; importedKeys: boolean; revision: bigint | null; keyId: string | null };

/**
 * Tells edges every committed change, in the order of revisions whatever instance made it, at least once: a
 * change waits in key_change until NATS has taken its notice. After the changes comes a heartbeat with the
 * newest revision, by which an edge notices a notice that it never got.
 */
@Injectable()
export class KeyChangePublisher {
  /** Every second, also what other instances left unpublished. */
  private readonly turns: Turns;

  constructor(
    private readonly storage: Storage,
    @Inject(NATS) private readonly connection: NatsConnection,
    work: PeriodicWork,
  ) {
    const failure = 'changes of keys could not be published; trying again in a second';
    const run = (): Promise<void> => this.publishAll();
    this.turns = work.add({ name: 'changes of keys', everyMs: heartbeatEveryMs, run, failure });
  }

  /**
   * Resolves when every change that was committed before the call is told, or could not be told now (logged;
   * the next second tries again). Never rejects.
   */
  publish(): Promise<void> {
    return this.turns.now();
  }

  private async publishAll(): Promise<void> {
    while ((await this.publishBatch()) === batchSize);
  }

  /**
   * The lock is held until NATS has taken the notices, so that the notices of two instances cannot overtake
   * each other.
   */
  private publishBatch(): Promise<number> {
    return this.storage.transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('tollgate.accounts.publish'))`;
      const rows = await takePending(transaction);
      const changes = rows.flatMap(({ revision, keyId }) =>
        revision === null || keyId === null ? [] : [{ revision, keyId }],
      );
      await this.publishChanges(transaction, changes);
      const [state] = rows;
      if (changes.length < batchSize && state) {
        const { newest, importedKeys } = state;
        publishJson(this.connection, accountsSubjects.heartbeat, { revision: Number(newest), importedKeys });
      }
      await this.flush();
      return changes.length;
    });
  }

  /** A notice tells the key as it is now, which may be newer than its revision; never older. */
  private async publishChanges(
    transaction: AccountsQueries,
    changes: readonly { revision: bigint; keyId: string }[],
  ): Promise<void> {
    if (changes.length === 0) return;
    const { plans } = await readRevision(transaction);
    const ids = changes.map(({ keyId }) => keyId);
    const keys = await transaction.apiKey.findMany({ where: { id: { in: ids } }, include: withAccount });
    const keyById = new Map(keys.map((key) => [key.id, key]));
    for (const { revision, keyId } of changes) {
      const key = keyById.get(keyId);
      if (!key) throw new Error(`the changed key ${keyId} is not in the database`);
      const told = toWireKey(toCallerKey(key, plans));
      const notice = { revision: Number(revision), digest: key.digest, key: told };
      publishJson(this.connection, accountsSubjects.keyChanged, notice);
    }
  }

  private async flush(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('NATS does not take notices')), flushTimeoutMs);
    });
    await Promise.race([this.connection.flush(), tooLate]).finally(() => clearTimeout(timer));
  }
}

/**
 * One statement, hence one snapshot: no revision up to `newest` is both unpublished and missing here, unless
 * the batch is full.
 */
function takePending(transaction: AccountsQueries): Promise<PendingRow[]> {
  return transaction.$queryRaw<PendingRow[]>`
    WITH taken AS (
      DELETE FROM key_change WHERE revision IN (SELECT revision FROM key_change ORDER BY revision LIMIT ${batchSize})
      RETURNING revision, key_id
    )
    SELECT key_revision.revision AS newest, key_revision.imported_keys AS "importedKeys", taken.revision, taken.key_id AS "keyId"
    FROM key_revision LEFT JOIN taken ON true ORDER BY taken.revision`;
}
