import { setTimeout as delay } from 'node:timers/promises';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { loadTollgateFile } from '@tollgate/configuration';
import { ControlError } from '@tollgate/contracts';
import { createDatabase, migrateWhenReachable, type Database } from '@tollgate/database';
import { connectToNats, controlServerOptions } from '@tollgate/messaging';
import { createLogger, InternalServer, toNestLogger, type Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { AccountsModule } from './accounts.module';
import { Changes } from './changes/changes';
import { KeyChangePublisher } from './changes/key-change-publisher';
import { announcePlans } from './changes/plan-announcement';
import { KeySettings } from './keys/key-settings';
import { MailSender } from './mail/mail-sender';
import { AccountsMetrics } from './metrics/accounts-metrics';
import { PlanTable } from './plans/plan-table';
import type { AccountsSettings } from './settings';
import { ExpiredRows } from './storage/expired-rows';
import { Storage } from './storage/storage';

/** Callers wait two seconds for an answer: they should hear sooner that Postgres is away. */
const connectTimeoutMs = 1_000;
const retryMs = 1_000;

/** One instance of accounts, from its settings to its end. */
export class AccountsService {
  private readonly logger: Logger;
  private readonly database: Database<'accounts'>;
  private readonly storage: Storage;
  private readonly metrics = new AccountsMetrics();
  private readonly internal: InternalServer;
  private readonly mailSender: MailSender | undefined;
  private readonly expiredRows: ExpiredRows;
  private running: { app: INestMicroservice; publisher: KeyChangePublisher; connection: NatsConnection } | undefined;

  constructor(private readonly settings: AccountsSettings) {
    this.logger = createLogger('accounts', settings.logLevel);
    this.database = createDatabase(settings.databaseUrl, 'accounts', {
      connectTimeoutMs,
      pooled: settings.directDatabaseUrl !== null,
    });
    this.storage = new Storage(this.database);
    const { smtp, sessionIdleMs } = settings.people;
    this.mailSender = smtp === null ? undefined : new MailSender(this.storage, smtp, this.logger);
    this.expiredRows = new ExpiredRows(this.storage, sessionIdleMs, this.logger);
    this.internal = new InternalServer(this.metrics.registry, {
      started: () => this.running !== undefined,
      nats: () => this.running?.connection.isClosed() === false,
      postgres: () => this.storage.answers(),
    });
  }

  /**
   * Resolves with the port of health and metrics when the instance answers questions; waits for Postgres and NATS as long as it takes.
   * @throws TollgateFileError when the operator's file is not usable.
   */
  async start(): Promise<number> {
    const plans = new PlanTable(loadTollgateFile(this.settings.configFile).plans);
    const internalPort = await this.internal.listen(this.settings.internalPort, this.settings.internalHost);
    const { databaseUrl, directDatabaseUrl } = this.settings;
    await migrateWhenReachable(directDatabaseUrl ?? databaseUrl, (error) => this.waiting(error));
    const connection = await connectToNats({ ...this.settings.nats, name: 'accounts', logger: this.logger });
    const publisher = new KeyChangePublisher(this.storage, connection, this.logger);
    await this.putInForce(plans, new Changes(this.storage, publisher));
    const app = await this.listen(publisher);
    publisher.start();
    this.mailSender?.start();
    this.expiredRows.start();
    this.running = { app, publisher, connection };
    this.logger.info('ready');
    return internalPort;
  }

  /** Takes no more questions, answers those that are running, and closes everything. */
  async stop(): Promise<void> {
    await this.running?.app.close();
    this.expiredRows.stop();
    await this.mailSender?.stop();
    await this.running?.publisher.stop();
    await this.running?.connection.close();
    await this.internal.close();
    await this.database.$disconnect();
  }

  private async listen(publisher: KeyChangePublisher): Promise<INestMicroservice> {
    const { nats, keyPrefix, keyPepper, people: peopleSettings } = this.settings;
    const keySettings = new KeySettings(keyPrefix, keyPepper);
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(
      AccountsModule.with({ storage: this.storage, metrics: this.metrics, publisher, keySettings, peopleSettings }),
      { ...controlServerOptions('accounts', nats), logger: toNestLogger(this.logger), abortOnError: false },
    );
    await app.listen();
    // Ready means that the server knows of the subscriptions; listen() only sends them.
    await app.unwrap<NatsConnection>().flush();
    return app;
  }

  private async putInForce(plans: PlanTable, changes: Changes): Promise<void> {
    for (;;) {
      try {
        return await announcePlans(changes, plans);
      } catch (error) {
        if (!(error instanceof ControlError) || error.code !== 'unavailable') throw error;
        this.waiting(error);
        await delay(retryMs);
      }
    }
  }

  private waiting(error: Error): void {
    this.logger.warn({ err: error }, 'Postgres cannot be used yet; trying again');
  }
}
