import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { migrate } from '@tollgate/database';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationFile } from '../configuration-file/configuration-file';
import { CatalogSettings } from '../settings';
import type { PriceOrigins } from './imported-price';
import { PriceLedger } from './price-ledger';

const retryMs = 2_000;

/** Writes price sheets into Postgres, and tries again every two seconds while that fails: the catalog does not wait for it. */
@Injectable()
export class PriceSync implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown {
  private wanted: { origins: PriceOrigins; at: number } | null = null;
  private running: Promise<void> | null = null;
  private isMigrated = false;
  private readonly stopped = new AbortController();

  constructor(
    private readonly settings: CatalogSettings,
    private readonly ledger: PriceLedger,
    private readonly file: ConfigurationFile,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.record(this.file.catalog, this.file.readAt);
  }

  /** Ends the trying. */
  onModuleDestroy(): void {
    this.stopped.abort();
  }

  /** Resolves when a write that runs has ended. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /** False while sheets wait to be written. */
  get isDone(): boolean {
    return this.wanted === null;
  }

  /** Takes the sheets that came into force at `at` (epoch milliseconds). Newer ones take the place of those that still wait. */
  record(origins: PriceOrigins, at: number): void {
    this.wanted = { origins, at };
    this.running ??= this.run().finally(() => (this.running = null));
  }

  private async run(): Promise<void> {
    while (this.wanted && !this.stopped.signal.aborted) {
      const task = this.wanted;
      try {
        const changes = await this.write(task);
        if (this.wanted === task) this.wanted = null;
        this.logger.info({ models: task.origins.priced.length, ...changes }, 'prices are in the database');
      } catch (error) {
        this.logger.warn({ err: error }, 'prices could not be written; trying again in two seconds');
        await delay(retryMs, undefined, { signal: this.stopped.signal }).catch(() => undefined);
      }
    }
  }

  /** The first time it brings the database to the newest schema before. */
  private async write({ origins, at }: { origins: PriceOrigins; at: number }) {
    const { databaseUrl, directDatabaseUrl } = this.settings;
    if (!this.isMigrated) await migrate(directDatabaseUrl ?? databaseUrl);
    this.isMigrated = true;
    return this.ledger.record(origins, at);
  }
}
