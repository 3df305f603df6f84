import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import type { UsageEvent } from '@tollgate/contracts';
import { createDatabase, migrateWhenReachable, type Database } from '@tollgate/database';
import {
  connectToNats,
  controlServerOptions,
  DeadLetters,
  keepAcknowledged,
  keepCopies,
  KeptUsage,
  UsageConsumer,
} from '@tollgate/messaging';
import { createLogger, InternalServer, toNestLogger, type Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { ContentLog } from './content-log/content-log';
import { LetterDesk } from './dead-letters/letter-desk';
import { UsageIngest } from './ingest/usage-ingest';
import type { IngestResult } from './ingest/usage-ingest';
import { KeptReplay } from './ledger/kept-replay';
import { Ledger } from './ledger/ledger';
import { UnsettledLeases } from './ledger/unsettled-leases';
import { MeteringMetrics } from './metering-metrics';
import { MeteringModule } from './metering.module';
import { EventMonths } from './partitions/event-months';
import { QuotaLeases } from './quota/quota-leases';
import { CurrentPrices } from './rating/price-book';
import { LatePricing } from './rating/late-pricing';
import { Reports } from './reports/reports';
import type { MeteringSettings } from './settings';
import { showBacklog } from './status/backlog-metrics';
import { UsageBacklog } from './status/usage-backlog';
import { StoredDays } from './stored-responses/stored-days';
import { StoredResponses } from './stored-responses/stored-responses';
import { Upkeep } from './upkeep';

/** Callers wait two seconds for an answer: they should hear sooner that Postgres is away. */
const operationTimes = { connectTimeoutMs: 1_000, statementTimeoutMs: 1_500 };
/** A batch of thousands of events may take its time. */
const ingestTimes = { connections: 3, statementTimeoutMs: 15_000 };
const recountTimes = { connections: 1, statementTimeoutMs: 600_000 };

/** One instance of metering, from its settings to its end. */
export class MeteringService {
  private readonly logger: Logger;
  private readonly metrics = new MeteringMetrics();
  private readonly databases: Record<'operations' | 'ingest' | 'recount', Database<'metering'>>;
  private readonly months: EventMonths;
  private readonly leases: QuotaLeases;
  private readonly unsettled: UnsettledLeases;
  private readonly internal: InternalServer;
  private running:
    { app: INestMicroservice; consumer: UsageConsumer; upkeep: Upkeep; connection: NatsConnection } | undefined;

  constructor(
    private readonly settings: MeteringSettings,
    private readonly now: () => number = Date.now,
  ) {
    const { databaseUrl, directDatabaseUrl, retentionMonths, logLevel } = settings;
    const pooled = directDatabaseUrl !== null;
    this.logger = createLogger('metering', logLevel);
    this.databases = {
      operations: createDatabase(databaseUrl, 'metering', { ...operationTimes, pooled }),
      ingest: createDatabase(databaseUrl, 'metering', { ...ingestTimes, pooled }),
      recount: createDatabase(databaseUrl, 'metering', { ...recountTimes, pooled }),
    };
    this.months = new EventMonths(this.databases.ingest, retentionMonths, now);
    this.leases = new QuotaLeases(this.databases.operations, now);
    this.unsettled = new UnsettledLeases(this.databases.operations);
    this.internal = new InternalServer(this.metrics.registry, {
      started: () => this.running !== undefined,
      nats: () => this.running?.connection.isClosed() === false,
      postgres: () => this.postgresAnswers(),
    });
  }

  /** Resolves with the port of health and metrics when the instance works; waits for Postgres and NATS as long as it takes. */
  async start(): Promise<number> {
    const { internalPort, internalHost, databaseUrl, directDatabaseUrl, nats } = this.settings;
    const port = await this.internal.listen(internalPort, internalHost);
    await migrateWhenReachable(directDatabaseUrl ?? databaseUrl, (err) =>
      this.logger.warn({ err }, 'Postgres cannot be used yet; trying again'),
    );
    const connection = await connectToNats({ ...nats, name: 'metering', logger: this.logger });
    const replay = new KeptReplay(new KeptUsage(connection), this.databases.ingest, (onResult) =>
      this.ingest(onResult),
    );
    const upkeep = this.upkeep(connection, replay);
    upkeep.start();
    const consumer = await this.consume(connection, replay);
    const app = await this.listen(connection, replay);
    this.running = { app, consumer, upkeep, connection };
    this.logger.info('ready');
    return port;
  }

  /** Takes no more questions and events, finishes those at hand, and closes everything. */
  async stop(): Promise<void> {
    await this.running?.app.close();
    await this.running?.consumer.stop();
    await this.running?.upkeep.stop();
    await this.running?.connection.close();
    await this.internal.close();
    for (const database of Object.values(this.databases)) await database.$disconnect();
  }

  private async consume(connection: NatsConnection, replay: KeptReplay): Promise<UsageConsumer> {
    const ingest = this.ingest();
    const store = async (events: UsageEvent[]): Promise<void> => {
      await ingest.ingest(events);
      replay.stored(events);
    };
    const consumer = new UsageConsumer(connection, store, {
      logger: this.logger,
      copies: this.settings.copies,
    });
    await consumer.start();
    return consumer;
  }

  private ingest(onResult: (result: IngestResult) => void = () => undefined): UsageIngest {
    return new UsageIngest(
      this.databases.ingest,
      () => this.months.keptSinceMs(),
      (result) => {
        this.metrics.count(result);
        onResult(result);
      },
    );
  }

  private async listen(connection: NatsConnection, replay: KeptReplay): Promise<INestMicroservice> {
    const { operations, recount } = this.databases;
    const reports = new Reports(operations, recount, this.months, this.now);
    const backlog = new UsageBacklog(connection, this.settings.copies);
    showBacklog(this.metrics.registry, backlog);
    const ledger = new Ledger(operations, new CurrentPrices(operations), this.now, recount);
    const desk = new LetterDesk(new DeadLetters(connection), (onResult) => this.ingest(onResult));
    const { leases, unsettled } = this;
    const contentLog = new ContentLog(operations, this.now);
    const stored = new StoredResponses(operations, this.now);
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(
      MeteringModule.with({ leases, reports, backlog, ledger, replay, unsettled, desk, contentLog, stored }),
      {
        ...controlServerOptions('metering', this.settings.nats),
        logger: toNestLogger(this.logger),
        abortOnError: false,
      },
    );
    await app.listen();
    // Ready means that the server knows of the subscriptions; listen() only sends them.
    await app.unwrap<NatsConnection>().flush();
    return app;
  }

  private upkeep(connection: NatsConnection, replay: KeptReplay): Upkeep {
    const latePricing = new LatePricing(this.databases.ingest);
    const contentLog = new ContentLog(this.databases.ingest, this.now);
    const days = new StoredDays(this.databases.ingest, this.now);
    return new Upkeep(
      [
        { name: 'partitions', everyMs: 3_600_000, run: () => this.keepMonths() },
        { name: 'days of responses', everyMs: 60_000, run: () => days.maintain() },
        { name: 'ended leases', everyMs: 15_000, run: () => this.leases.sweep() },
        { name: 'expired content', everyMs: 60_000, run: async () => void (await contentLog.sweep()) },
        { name: 'missing events', everyMs: 30_000, run: () => this.lookForMissingEvents() },
        { name: 'what was stored', everyMs: 10_000, run: () => this.lookBack(replay) },
        // A cluster that grew, or whose servers were not all there, gets its copies without a restart.
        {
          name: 'copies',
          everyMs: 60_000,
          run: async () => {
            // At the start the consumer makes the streams, with their copies.
            if (!this.running) return;
            await keepAcknowledged(connection, this.settings.copies, this.logger);
            await keepCopies(connection, this.settings.copies, this.logger);
          },
        },
        {
          name: 'late prices',
          everyMs: 5_000,
          run: async () => {
            const events = await latePricing.run();
            if (events > 0) this.logger.info({ events }, 'events that came before their prices are priced now');
          },
        },
      ],
      this.logger,
    );
  }

  private async lookForMissingEvents(): Promise<void> {
    await this.unsettled.clean();
    const found = await this.unsettled.look();
    this.metrics.showUnsettled(found);
    for (const lease of found.newLeases)
      this.logger.warn(lease, 'a quota lease ended holding tokens that no usage event settled: usage may be missing');
  }

  private async lookBack(replay: KeptReplay): Promise<void> {
    const found = await replay.lookBack();
    if (!found) return;
    const since = new Date(found.sinceMs).toISOString();
    this.logger.error(
      { since, stored: found.stored },
      'Postgres had lost usage that it had stored; what JetStream keeps of it is stored again',
    );
  }

  private async keepMonths(): Promise<void> {
    const dropped = await this.months.maintain();
    if (dropped.length > 0) this.logger.info({ dropped }, 'usage events older than what is kept were dropped');
  }

  private async postgresAnswers(): Promise<boolean> {
    try {
      await this.databases.operations.$queryRaw`SELECT 1`;
      return true;
    } catch {
      return false;
    }
  }
}
