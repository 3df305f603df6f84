import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import type { Database } from '@tollgate/database';
import { createDatabase, migrate } from '@tollgate/database';
import { connectToNats, ControlClient, controlServerOptions } from '@tollgate/messaging';
import { createLogger, InternalServer, toNestLogger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { ReachMemory } from './availability/reach-memory';
import { catalogMetrics } from './catalog-metrics';
import { CatalogModule } from './catalog.module';
import { ConfigurationWatch } from './configuration-file/configuration-watch';
import { readCatalog } from './configuration-file/read-catalog';
import { LiveCatalog } from './live-catalog';
import { withImportedPrices } from './prices/imported-price';
import { DeploymentHolds } from './operator/deployment-holds';
import { ModelSwitch } from './operator/model-switch';
import { OperatorChoices } from './operator/operator-choices';
import { PriceDesk } from './prices/price-desk';
import { PriceLedger } from './prices/price-ledger';
import { PriceSync } from './prices/price-sync';
import type { CatalogSettings } from './settings';

/** What an instance stops, in order. */
interface Parts {
  app: INestMicroservice;
  watch: ConfigurationWatch | null;
  live: LiveCatalog;
  prices: PriceSync;
  choices: OperatorChoices;
  internal: InternalServer;
  connection: NatsConnection;
  database: Database<'catalog'>;
}

/** One running instance of the catalog. */
export class CatalogService {
  private constructor(
    private readonly parts: Parts,
    /** The port of health and metrics. */
    readonly internalPort: number,
  ) {}

  /**
   * Starts an instance and resolves when it answers. Waits for NATS as long as it takes, and for Postgres not at all: prices are written when it is there.
   * @throws TollgateFileError when the configuration file has faults.
   */
  static async start(settings: CatalogSettings): Promise<CatalogService> {
    const logger = createLogger('catalog', settings.logLevel);
    const file = settings.configurationFile;
    const watch = file ? await ConfigurationWatch.of(file, logger) : null;
    let catalog = readCatalog(file);
    const loadedAt = Date.now();
    const database = createDatabase(settings.databaseUrl, 'catalog', {
      pooled: settings.directDatabaseUrl !== null,
    });
    const ledger = new PriceLedger(database);
    const prices = new PriceSync(priceWriter(settings.directDatabaseUrl ?? settings.databaseUrl, ledger), logger);
    prices.record(catalog, loadedAt);

    const connection = await connectToNats({ ...settings.nats, name: 'catalog', logger });
    const live = new LiveCatalog(catalog, connection, new ReachMemory(connection, logger), logger);
    const show = (): void => live.use(withImportedPrices(catalog, choices.imported), choices);
    const choices = new OperatorChoices(database, logger, show);
    // What another instance took from an operator is not waited for.
    live.onForeignRevision = () => void choices.look();
    choices.assume(await live.start());
    choices.start();
    const desk = new PriceDesk(ledger, prices, choices, () => catalog);
    const models = new ModelSwitch(database, choices, (id) => {
      const model = live.snapshot.models.find((each) => each.id === id);
      return model ? (model.discovered ? 'discovered' : 'own') : null;
    });
    const holds = new DeploymentHolds(database, choices, (id) =>
      live.snapshot.models.some(({ deployments }) => deployments.some((deployment) => deployment.id === id)),
    );
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(
      CatalogModule.with(live, desk, models, holds, new ControlClient(connection)),
      {
        ...controlServerOptions('catalog', settings.nats),
        logger: toNestLogger(logger),
        abortOnError: false,
      },
    );
    await app.listen();
    // Nest does not wait until the server knows the subscriptions: without this a question right after the start finds nobody.
    await app.unwrap<NatsConnection>().flush();

    const metrics = catalogMetrics(
      () => live.snapshot,
      () => prices.isDone,
    );
    const internal = new InternalServer(metrics, { nats: () => !connection.isClosed() });
    const internalPort = await internal.listen(settings.internalPort, settings.internalHost);
    watch?.start((edited) => {
      catalog = edited;
      show();
      prices.record(edited, Date.now());
    });
    logger.info('ready');
    return new CatalogService({ app, watch, live, prices, choices, internal, connection, database }, internalPort);
  }

  async stop(): Promise<void> {
    const { app, watch, live, prices, choices, internal, connection, database } = this.parts;
    watch?.stop();
    await app.close();
    live.stop();
    await prices.stop();
    await choices.stop();
    await internal.close();
    await connection.close();
    await database.$disconnect();
  }
}

/** Writes prices; the first time it brings the database to the newest schema before. */
function priceWriter(databaseUrl: string, ledger: PriceLedger): PriceLedger['record'] {
  let migrated = false;
  return async (origins, at) => {
    if (!migrated) await migrate(databaseUrl);
    migrated = true;
    return ledger.record(origins, at);
  };
}
