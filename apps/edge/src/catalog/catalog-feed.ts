import { Inject, Injectable } from '@nestjs/common';
import { catalogChanged, catalogOperations, catalogSubjects } from '@tollgate/contracts';
import { ControlClient, subscribeJson } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { LOGGER } from '../settings';
import { ModelCatalog } from './model-catalog';
import { ModelIndex } from './model-index';

const retryMs = 1_000;
/** The snapshot is compared this often even when no change was told, in case a notice was lost. */
const refreshMs = 60_000;

/** Keeps the snapshot current: fetched at the start, after each notice, and now and then. While the catalog is away the last one stays in use. */
@Injectable()
export class CatalogFeed {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;
  private again = false;

  constructor(
    private readonly control: ControlClient,
    private readonly catalog: ModelCatalog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(connection: NatsConnection): void {
    subscribeJson(
      connection,
      catalogSubjects.changed,
      catalogChanged,
      ({ revision }) => {
        if (revision !== this.catalog.revision) this.refresh();
      },
      this.logger,
    );
    this.refresh();
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  /** Fetches the snapshot; a notice during a fetch makes another follow. */
  refresh(): void {
    if (this.running) {
      this.again = true;
      return;
    }
    if (this.timer) clearTimeout(this.timer);
    this.running = this.fetch().then((fetched) => {
      this.running = null;
      const soon = this.again;
      this.again = false;
      this.timer = setTimeout(() => this.refresh(), soon ? 0 : fetched ? refreshMs : retryMs).unref();
    });
  }

  private async fetch(): Promise<boolean> {
    try {
      const snapshot = await this.control.call(catalogOperations.snapshot, {}, { timeoutMs: 3_000 });
      if (snapshot.revision !== this.catalog.revision || !this.catalog.isReady) {
        this.catalog.replace(new ModelIndex(snapshot));
        this.logger.info({ revision: snapshot.revision, available: snapshot.available.length }, 'catalog snapshot');
      }
      return true;
    } catch (error) {
      // Before the first snapshot nothing works, which the readiness check tells; later the old one goes on.
      this.logger[this.catalog.isReady ? 'warn' : 'debug']({ err: error }, 'the catalog cannot be read');
      return false;
    }
  }
}
