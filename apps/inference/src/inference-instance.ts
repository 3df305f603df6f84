import { setTimeout as sleep } from 'node:timers/promises';
import { BeforeApplicationShutdown } from '@nestjs/common';
import { catalogChanged, catalogSubjects, dialectNames, surfaceNames } from '@tollgate/contracts';
import { translationFor } from '@tollgate/dialects';
import {
  Echo,
  subscribeJson,
  type GenerationServer,
  type NoticeSubscription,
  type OrphanedUsage,
  type UsageJournal,
} from '@tollgate/messaging';
import { InternalServer, type Logger, type Tracer } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import type { CatalogSource } from './catalog/catalog-source';
import type { Announcer } from './credentials/announcer';
import type { ProviderBills } from './bills/provider-bills';
import type { ModelDiscovery } from './discovery/model-discovery';
import type { GenerationService } from './generation/generation-service';
import { InstancePlaces } from './generation/instance-places';
import type { HealthReporter } from './health/health-reporter';
import type { InferenceMetrics } from './metrics/inference-metrics';
import type { ProviderChecks } from './provider-check/provider-checks';
import type { InferenceSettings } from './settings';
import type { UpstreamPools } from './upstream/upstream-pools';

/** What an instance starts and stops, in order. */
export interface InstanceParts {
  connection: NatsConnection;
  catalog: CatalogSource;
  announcer: Announcer;
  discovery: ModelDiscovery;
  checks: ProviderChecks;
  bills: ProviderBills;
  server: GenerationServer;
  generation: GenerationService;
  pools: UpstreamPools;
  metrics: InferenceMetrics;
  health: HealthReporter;
  tracer: Tracer;
  /** Both null: usage under way is kept in memory only. */
  journal: UsageJournal | null;
  orphans: OrphanedUsage | null;
  logger: Logger;
}

const refreshEveryMs = 30_000;
const natsAnswerMs = 500;

/** One running instance: accepts requests once it knows the catalog, and leaves without cutting what runs. */
export class InferenceInstance implements BeforeApplicationShutdown {
  private readonly internal: InternalServer;
  private notices: NoticeSubscription | undefined;
  private refresh: NodeJS.Timeout | undefined;
  private accepting = false;
  private leaving = false;

  constructor(
    private readonly settings: InferenceSettings,
    private readonly parts: InstanceParts,
  ) {
    const echo = new Echo(parts.connection, parts.logger);
    this.internal = new InternalServer(parts.metrics.registry, {
      nats: async () => !echo.isDoubled && (await natsAnswers(parts.connection)),
      catalog: () => parts.catalog.current !== null,
      accepting: () => this.accepting,
    });
  }

  /** Resolves when requests are accepted. Waits for catalog as long as it takes. */
  async start(): Promise<void> {
    const { catalog, announcer, discovery, checks, bills, health, server, generation, logger } = this.parts;
    const { internalPort, internalHost, maxInFlight } = this.settings;
    await this.internal.listen(internalPort, internalHost);
    this.notices = this.hearChanges();
    await catalog.first();
    if (this.leaving) return;
    this.refresh = setInterval(() => void catalog.refresh(), refreshEveryMs);
    announcer.start();
    discovery.onChange = () => announcer.changed();
    discovery.start();
    checks.start();
    bills.start();
    health.start();
    const places = new InstancePlaces(maxInFlight);
    await server.serve(servedSurfaces(), maxInFlight, (call) => generation.handle(call), places);
    this.accepting = true;
    logger.info({ instance: server.instanceId }, 'ready');
  }

  /** Announcements end first, so that nobody counts on this instance; then what runs is finished, then connections close. */
  async beforeApplicationShutdown(): Promise<void> {
    const {
      catalog,
      connection,
      announcer,
      discovery,
      checks,
      bills,
      health,
      server,
      pools,
      tracer,
      journal,
      orphans,
    } = this.parts;
    this.leaving = true;
    this.accepting = false;
    announcer.stop();
    discovery.stop();
    checks.stop();
    bills.stop();
    health.stop();
    clearInterval(this.refresh);
    this.notices?.unsubscribe();
    catalog.stop();
    await orphans?.stop();
    await server.drain(this.settings.drainMs);
    journal?.close();
    await pools.close();
    await tracer.shutdown();
    await this.internal.close();
    await connection.close();
  }

  private hearChanges(): NoticeSubscription {
    const { connection, catalog, logger } = this.parts;
    const hear = ({ revision }: { revision: number }): void => catalog.noticed(revision);
    return subscribeJson(connection, catalogSubjects.changed, catalogChanged, hear, logger);
  }
}

/** Every surface that can be put into at least one provider's dialect. */
function servedSurfaces(): readonly string[] {
  return surfaceNames.filter((surface) => dialectNames.some((provider) => translationFor(surface, provider)));
}

/** False when the server is away or silent now; the client itself goes on trying. */
async function natsAnswers(connection: NatsConnection): Promise<boolean> {
  const answered = connection.rtt().then(
    () => true,
    () => false,
  );
  return Promise.race([answered, sleep(natsAnswerMs, false, { ref: false })]);
}
