import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { keepAcknowledged, keepCopies, UsageConsumer } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { KeptReplay } from '../ledger/kept-replay';
import { MeteringSettings } from '../settings';
import { UsageIngest } from './usage-ingest';

/** Takes usage events from JetStream into the database; a batch is acknowledged after its commit. */
@Injectable()
export class UsageIntake implements OnModuleInit, BeforeApplicationShutdown {
  /** True once the streams are made, with their copies. */
  isStarted = false;
  private readonly consumer: UsageConsumer;

  constructor(
    ingest: UsageIngest,
    replay: KeptReplay,
    private readonly settings: MeteringSettings,
    @Inject(NATS) private readonly connection: NatsConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.consumer = new UsageConsumer(
      connection,
      async (events) => {
        await ingest.ingest(events);
        replay.stored(events);
      },
      { logger, copies: settings.copies },
    );
  }

  async onModuleInit(): Promise<void> {
    await this.consumer.start();
    this.isStarted = true;
  }

  /** Finishes the batch at hand and acknowledges it, while the databases and NATS are still there. */
  beforeApplicationShutdown(): Promise<void> {
    return this.consumer.stop();
  }

  /** A cluster that grew, or whose servers were not all there, gets its copies without a restart. */
  async keepCopies(): Promise<void> {
    if (!this.isStarted) return;
    await keepAcknowledged(this.connection, this.settings.copies, this.logger);
    await keepCopies(this.connection, this.settings.copies, this.logger);
  }
}
