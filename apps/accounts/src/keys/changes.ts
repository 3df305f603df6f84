import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { FilePlans } from '../accounts/file-plans';
import { PlanTable, type Plans } from '../accounts/plan-table';
import { Storage, type AccountsQueries } from '../storage';
import { KeyChangePublisher } from './key-change-publisher';
import { lockRevision, type PlansOfSettings } from './revision';

const retryMs = 1_000;

/**
 * A line of the audit log. `detail` says what was asked for and what it was before; never a key or a digest.
 */
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
    /** Those of them, and beneath them, that are set without tollgate.yaml. */
    readonly plansOfSettings: PlansOfSettings,
  ) {}

  /**
   * Gives each key a new version and leaves word for edges. Call it once, after the last write: a version
   * must tell the whole change.
   */
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

  /** Writes lines by one statement. */
  async audit(...entries: readonly AuditEntry[]): Promise<void> {
    await this.transaction.accountAudit.createMany({
      data: entries.map(({ keyId = null, ...entry }) => ({ ...entry, keyId })),
    });
  }
}

/** Plans of the settings. `unreadable`: those that catalog does not understand; they stay as they were. */
type ToldPlans = PlansOfSettings & { unreadable: readonly string[] };

/**
 * While some cannot be read the version counts as not known: a catalog that understands it may tell it again.
 */
function newer(known: PlansOfSettings, told: ToldPlans | undefined): PlansOfSettings {
  if (!told || told.version <= known.version) return known;
  const { plans, unreadable } = told;
  if (unreadable.length === 0) return { version: told.version, plans };
  const kept = Object.entries(known.plans).filter(([name]) => unreadable.includes(name));
  return { version: told.version - 1, plans: { ...plans, ...Object.fromEntries(kept) } };
}

/** As Prisma takes it. */
const toJson = (plans: Plans) =>
  Object.fromEntries(Object.entries(plans).map(([name, limits]) => [name, { ...limits }]));

/**
 * Where every change of accounts and keys goes through: one transaction at a time, over all instances, and
 * then the word to edges.
 */
@Injectable()
export class Changes implements OnModuleInit, OnModuleDestroy {
  private newest: Promise<unknown> = Promise.resolve();
  private isStopping = false;
  /** The change that what runs is a part of. */
  private readonly whole = new AsyncLocalStorage<Change>();

  constructor(
    private readonly storage: Storage,
    private readonly publisher: KeyChangePublisher,
    private readonly file: FilePlans,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Puts the plans of the operator's file in force; waits for Postgres until the service stops. */
  async onModuleInit(): Promise<void> {
    while (!this.isStopping) {
      try {
        await this.putInForce();
        return;
      } catch (error) {
        if (!(error instanceof ControlError) || error.code !== 'unavailable') throw error;
        this.logger.warn({ err: error }, 'Postgres cannot be used yet; trying again');
        await delay(retryMs);
      }
    }
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /**
   * Runs `work` in a transaction and commits it; edges have been told when this resolves, unless NATS is
   * away: then they are told later. A change that `work` itself commits here becomes a part of this one.
   * @throws ControlError what `work` threw (nothing has changed then); `unavailable` when the database is
   * away.
   */
  async commit<Result>(work: (change: Change) => Promise<Result>): Promise<Result> {
    const whole = this.whole.getStore();
    if (whole) return this.storage.read(() => work(whole));
    // Changes of this instance wait here and not in the database, where each would hold a connection that
    // lookups need.
    const transaction = this.newest.then(() => this.run(work));
    this.newest = transaction.catch(() => undefined);
    const result = await transaction;
    await this.publisher.publish();
    return result;
  }

  /**
   * When the plans of the file, above those of the settings, differ from what is in force, stores them and
   * tells edges all keys that still work. All instances go by what is stored, so that none tells edges older
   * limits than another. `told`: what catalog says of the settings; older ones than are known change nothing.
   * Returns whether the plans differed.
   * @throws ControlError `unavailable` when the database is away.
   */
  putInForce(told?: ToldPlans): Promise<boolean> {
    return this.commit(async (change) => {
      const ofSettings = newer(change.plansOfSettings, told);
      const { version: settingsVersion, plans: settingsPlans } = ofSettings;
      const plans = PlanTable.of(this.file.plans, settingsPlans).toJson();
      const isSame = isDeepStrictEqual(change.plans.toJson(), plans);
      if (isSame && isDeepStrictEqual(ofSettings, change.plansOfSettings)) return false;
      const data = { plans, settingsVersion, settingsPlans: toJson(settingsPlans) };
      await change.transaction.keyRevision.update({ where: { id: 1 }, data });
      if (isSame) return false;
      const keys = await change.transaction.apiKey.findMany({ where: { status: 'active' }, select: { id: true } });
      await change.touchKeys(keys.map(({ id }) => id));
      return true;
    });
  }

  private run<Result>(work: (change: Change) => Promise<Result>): Promise<Result> {
    return this.storage.transaction(async (queries) => {
      const { plans, ofSettings } = await lockRevision(queries);
      const change = new Change(queries, plans, ofSettings);
      return this.whole.run(change, () => work(change));
    });
  }
}
