import { Inject, Injectable } from '@nestjs/common';
import { migrate } from '@tollgate/database';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork, type Turns } from '@tollgate/service';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { CatalogSettings } from '../settings';
import type { PriceOrigins } from './imported-price';
import { PriceLedger } from './price-ledger';

const everyMs = 2_000;

/**
 * Writes price sheets into Postgres, and tries again while that fails: the catalog does not wait for it.
 */
@Injectable()
export class PriceSync {
  private wanted: { origins: PriceOrigins; at: number } | null;
  private readonly turns: Turns;
  private isMigrated = false;

  constructor(
    private readonly settings: CatalogSettings,
    private readonly ledger: PriceLedger,
    file: ConfigurationFile,
    work: PeriodicWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.wanted = { origins: file.catalog, at: file.readAt };
    const failure = 'prices could not be written; trying again shortly';
    this.turns = work.add({ name: 'prices', everyMs, run: () => this.write(), failure });
  }

  /** False while sheets wait to be written. */
  get isDone(): boolean {
    return this.wanted === null;
  }

  /**
   * Takes the sheets that came into force at `at` (epoch milliseconds). Newer ones take the place of those
   * that still wait.
   */
  record(origins: PriceOrigins, at: number): void {
    this.wanted = { origins, at };
    void this.turns.now();
  }

  /** The first time it brings the database to the newest schema before. */
  private async write(): Promise<void> {
    const task = this.wanted;
    if (!task) return;
    const { databaseUrl, directDatabaseUrl } = this.settings;
    const onWaiting = (err: Error): void => this.logger.warn({ err }, 'prices are not written yet; trying again');
    if (!this.isMigrated) await migrate(directDatabaseUrl ?? databaseUrl, { onWaiting });
    this.isMigrated = true;
    const changes = await this.ledger.record(task.origins, task.at);
    if (this.wanted === task) this.wanted = null;
    this.logger.info({ models: task.origins.priced.length, ...changes }, 'prices are in the database');
  }
}
