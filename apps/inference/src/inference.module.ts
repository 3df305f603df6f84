import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import {
  connectToNats,
  ControlClient,
  FairMemory,
  GenerationServer,
  NatsGenerationServer,
  OrphanedUsage,
  UsageJournal,
  UsagePublisher,
} from '@tollgate/messaging';
import { createLogger, createTracer, Tracer, type Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { ProviderBills } from './bills/provider-bills';
import { CatalogSource } from './catalog/catalog-source';
import { Announcer } from './credentials/announcer';
import { EnvironmentSecrets } from './credentials/environment-secrets';
import { ProviderCredentials } from './credentials/provider-credentials';
import { ModelDiscovery } from './discovery/model-discovery';
import { GenerationService } from './generation/generation-service';
import { AnswerGuards } from './guardrails/answer-guards';
import { AttemptGate } from './health/attempt-gate';
import { HealthReporter } from './health/health-reporter';
import { InferenceInstance } from './inference-instance';
import { InferenceMetrics } from './metrics/inference-metrics';
import { ProviderChecks } from './provider-check/provider-checks';
import { Router } from './routing/router';
import type { InferenceSettings } from './settings';
import { UpstreamPools } from './upstream/upstream-pools';

const SETTINGS = Symbol('settings');
const ENVIRONMENT = Symbol('environment');
const NATS = Symbol('connection to NATS');
const LOGGER = Symbol('logger');
const JOURNAL = Symbol('journal of usage, or null');
const ORPHANS = Symbol('usage of instances that died, or null');

const messaging: Provider[] = [
  {
    provide: NATS,
    inject: [SETTINGS, LOGGER],
    useFactory: ({ nats }: InferenceSettings, logger: Logger) => connectToNats({ ...nats, name: 'inference', logger }),
  },
  { provide: ControlClient, inject: [NATS], useFactory: (connection: NatsConnection) => new ControlClient(connection) },
  {
    provide: JOURNAL,
    inject: [SETTINGS, LOGGER],
    useFactory: ({ journalFolder }: InferenceSettings, logger: Logger) =>
      journalFolder === null ? null : new UsageJournal(journalFolder, { logger }),
  },
  {
    provide: ORPHANS,
    inject: [JOURNAL, UsagePublisher, LOGGER],
    useFactory: (journal: UsageJournal | null, publisher: UsagePublisher, logger: Logger) =>
      journal && new OrphanedUsage(journal, publisher, { logger }),
  },
  {
    provide: UsagePublisher,
    inject: [NATS, JOURNAL, LOGGER],
    useFactory: (connection: NatsConnection, journal: UsageJournal | null, logger: Logger) =>
      new UsagePublisher(connection, { journal, logger }),
  },
  {
    provide: GenerationServer,
    inject: [NATS, UsagePublisher, JOURNAL, LOGGER],
    useFactory: (connection: NatsConnection, usage: UsagePublisher, journal: UsageJournal | null, logger: Logger) =>
      new NatsGenerationServer(connection, { usage, journal, logger }),
  },
];

const providers: Provider[] = [
  {
    provide: UpstreamPools,
    inject: [SETTINGS],
    useFactory: ({ upstreamConnections }: InferenceSettings) => new UpstreamPools(upstreamConnections),
  },
  {
    provide: Router,
    inject: [SETTINGS, ENVIRONMENT, UpstreamPools, AttemptGate, LOGGER],
    useFactory: (
      { sandbox, sandboxUrl }: InferenceSettings,
      environment: NodeJS.ProcessEnv,
      pools: UpstreamPools,
      gate: AttemptGate,
      logger: Logger,
    ) => {
      const credentials = new ProviderCredentials(sandbox, sandboxUrl !== null, environment);
      return new Router(credentials, sandboxUrl, pools, gate, (problem) => logger.warn(problem));
    },
  },
  {
    provide: Announcer,
    inject: [NATS, GenerationServer, Router, ModelDiscovery],
    useFactory: (connection: NatsConnection, server: GenerationServer, router: Router, discovery: ModelDiscovery) =>
      new Announcer(connection, server.instanceId, () => ({
        sandbox: router.sandbox,
        providers: router.providers,
        listed: discovery.listed,
      })),
  },
  {
    provide: ProviderChecks,
    inject: [NATS, Router, ModelDiscovery, LOGGER],
    useFactory: (connection: NatsConnection, router: Router, discovery: ModelDiscovery, logger: Logger) =>
      new ProviderChecks(connection, router, discovery, logger),
  },
  {
    provide: ProviderBills,
    inject: [NATS, ControlClient, Router, ENVIRONMENT, LOGGER],
    useFactory: (
      connection: NatsConnection,
      control: ControlClient,
      router: Router,
      environment: NodeJS.ProcessEnv,
      logger: Logger,
    ) => new ProviderBills(connection, control, router, new EnvironmentSecrets(environment), logger),
  },
  {
    provide: ModelDiscovery,
    inject: [Router, LOGGER],
    useFactory: (router: Router, logger: Logger) => new ModelDiscovery(() => router.endpoints, logger),
  },
  {
    provide: CatalogSource,
    inject: [ControlClient, LOGGER, Router, Announcer, ModelDiscovery, AnswerGuards],
    useFactory: (
      control: ControlClient,
      logger: Logger,
      router: Router,
      announcer: Announcer,
      discovery: ModelDiscovery,
      guards: AnswerGuards,
    ) =>
      new CatalogSource(control, logger, (snapshot) => {
        guards.use(snapshot);
        if (!router.use(snapshot)) return;
        announcer.changed();
        discovery.changed();
        logger.info({ providers: router.realProviders }, 'providers that answer themselves');
        if (router.sandbox) logger.warn('no provider key is set: the sandbox invents the answers of all others');
      }),
  },
];

const health: Provider[] = [
  {
    provide: AttemptGate,
    inject: [SETTINGS],
    useFactory: ({ minConcurrency }: InferenceSettings) => new AttemptGate(minConcurrency),
  },
  {
    provide: HealthReporter,
    inject: [NATS, GenerationServer, AttemptGate, LOGGER],
    useFactory: (connection: NatsConnection, server: GenerationServer, gate: AttemptGate, logger: Logger) =>
      new HealthReporter(connection, server.instanceId, () => gate.report(), logger),
  },
  {
    provide: InferenceMetrics,
    inject: [UsagePublisher, ORPHANS, AttemptGate],
    useFactory: (usage: UsagePublisher, orphans: OrphanedUsage | null, gate: AttemptGate) =>
      new InferenceMetrics({
        pendingUsageEvents: () => usage.pending,
        orphanedUsageEvents: () => orphans?.published ?? 0,
        deployments: () => gate.report(),
      }),
  },
];

const tracing: Provider = {
  provide: Tracer,
  inject: [SETTINGS],
  useFactory: (settings: InferenceSettings) => createTracer('inference', settings.tracing),
};

const generation: Provider[] = [
  tracing,
  {
    provide: AnswerGuards,
    inject: [InferenceMetrics, LOGGER],
    useFactory: (metrics: InferenceMetrics, logger: Logger) => new AnswerGuards(metrics, logger),
  },
  {
    provide: GenerationService,
    inject: [SETTINGS, LOGGER, Router, UpstreamPools, AttemptGate, InferenceMetrics, Tracer, AnswerGuards],
    useFactory: (
      { retries, maxAnswerBytes, answerMemory }: InferenceSettings,
      logger: Logger,
      router: Router,
      upstream: UpstreamPools,
      gate: AttemptGate,
      metrics: InferenceMetrics,
      tracer: Tracer,
      guards: AnswerGuards,
    ) => {
      const memory = new FairMemory(answerMemory);
      const resources = { upstream, gate, metrics, tracer, logger, retries, maxAnswerBytes, memory };
      return new GenerationService(router, resources, guards);
    },
  },
];

const instance: Provider = {
  provide: InferenceInstance,
  inject: [
    SETTINGS,
    NATS,
    CatalogSource,
    Announcer,
    ModelDiscovery,
    ProviderChecks,
    ProviderBills,
    GenerationServer,
    GenerationService,
    UpstreamPools,
    InferenceMetrics,
    HealthReporter,
    Tracer,
    JOURNAL,
    ORPHANS,
    LOGGER,
  ],
  useFactory: (
    settings: InferenceSettings,
    connection: NatsConnection,
    catalog: CatalogSource,
    announcer: Announcer,
    discovery: ModelDiscovery,
    checks: ProviderChecks,
    bills: ProviderBills,
    server: GenerationServer,
    service: GenerationService,
    pools: UpstreamPools,
    metrics: InferenceMetrics,
    health: HealthReporter,
    tracer: Tracer,
    journal: UsageJournal | null,
    orphans: OrphanedUsage | null,
    logger: Logger,
  ) =>
    new InferenceInstance(settings, {
      connection,
      catalog,
      announcer,
      discovery,
      checks,
      bills,
      server,
      generation: service,
      pools,
      metrics,
      health,
      tracer,
      journal,
      orphans,
      logger,
    }),
};

/** Everything of one inference instance, wired for its settings. Provider keys are read from `environment`. */
@Module({})
export class InferenceModule {
  static with(settings: InferenceSettings, environment: NodeJS.ProcessEnv): DynamicModule {
    return {
      module: InferenceModule,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: ENVIRONMENT, useValue: environment },
        { provide: LOGGER, useFactory: () => createLogger('inference', settings.logLevel) },
        ...messaging,
        ...providers,
        ...health,
        ...generation,
        instance,
      ],
    };
  }
}
