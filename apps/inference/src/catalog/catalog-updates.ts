import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { catalogChanged, catalogSubjects } from '@tollgate/contracts';
import { subscribeJson, type NoticeSubscription } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS, PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { CatalogSource } from './catalog-source';

const everyMs = 30_000;

/** Has the catalog asked for at each notice of a change, and now and then, for a notice that was lost. */
@Injectable()
export class CatalogUpdates implements OnModuleInit, OnModuleDestroy {
  private notices: NoticeSubscription | undefined;

  constructor(
    @Inject(NATS) private readonly connection: NatsConnection,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly catalog: CatalogSource,
    work: PeriodicWork,
  ) {
    work.add({ name: 'catalog', everyMs, run: () => catalog.refresh() });
  }

  onModuleInit(): void {
    const hear = ({ revision }: { revision: number }): void => this.catalog.noticed(revision);
    this.notices = subscribeJson(this.connection, catalogSubjects.changed, catalogChanged, hear, this.logger);
  }

  onModuleDestroy(): void {
    this.notices?.unsubscribe();
    this.catalog.stop();
  }
}
