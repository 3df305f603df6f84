import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import {
  connectToNats,
  ControlClient,
  GenerationServer,
  NatsGenerationServer,
  UsagePublisher,
} from '@tollgate/messaging';
import { createLogger, createTracer, Tracer, type Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { CatalogSource } from './catalog/catalog-source';
import { Announcer } from './credentials/announcer';
import { ProviderCredentials } from './credentials/provider-credentials';
import { GenerationService } from './generation/generation-service';
import { AttemptGate } from './health/attempt-gate';
import { HealthReporter } from './health/health-reporter';
import { InferenceInstance } from './inference-instance';
import { InferenceMetrics } from './metrics/inference-metrics';
import { Router } from './routing/router';
import type { InferenceSettings } from './settings';
import { UpstreamPools } from './upstream/upstream-pools';

const SETTINGS = Symbol('settings');
const ENVIRONMENT = Symbol('environment');
const NATS = Symbol('connection to NATS');
const LOGGER = Symbol('logger');

const messaging: Provider[] = [
  {
    provide: NATS,
    inject: [SETTINGS, LOGGER],
    useFactory: ({ nats }: InferenceSettings, logger: Logger) => connectToNats({ ...nats, name: 'inference', logger }),
  },
  { provide: ControlClient, inject: [NATS], useFactory: (connection: NatsConnection) => new ControlClient(connection) },
  {
    provide: UsagePublisher,
    inject: [NATS, LOGGER],
    useFactory: (connection: NatsConnection, logger: Logger) => new UsagePublisher(connection, { logger }),
  },
  {
    provide: GenerationServer,
    inject: [NATS, UsagePublisher, LOGGER],
    useFactory: (connection: NatsConnection, usage: UsagePublisher, logger: Logger) =>
      new NatsGenerationServer(connection, { usage, logger }),
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
    inject: [NATS, GenerationServer, Router],
    useFactory: (connection: NatsConnection, server: GenerationServer, router: Router) =>
      new Announcer(connection, server.instanceId, () => ({ sandbox: router.sandbox, providers: router.providers })),
  },
  {
    provide: CatalogSource,
    inject: [ControlClient, LOGGER, Router, Announcer],
    useFactory: (control: ControlClient, logger: Logger, router: Router, announcer: Announcer) =>
      new CatalogSource(control, logger, (snapshot) => {
        if (router.use(snapshot)) announcer.changed();
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
    inject: [UsagePublisher, AttemptGate],
    useFactory: (usage: UsagePublisher, gate: AttemptGate) =>
      new InferenceMetrics({ pendingUsageEvents: () => usage.pending, deployments: () => gate.report() }),
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
    provide: GenerationService,
    inject: [SETTINGS, LOGGER, Router, UpstreamPools, AttemptGate, InferenceMetrics, Tracer],
    useFactory: (
      { retries, maxAnswerBytes }: InferenceSettings,
      logger: Logger,
      router: Router,
      upstream: UpstreamPools,
      gate: AttemptGate,
      metrics: InferenceMetrics,
      tracer: Tracer,
    ) => new GenerationService(router, { upstream, gate, metrics, tracer, logger, retries, maxAnswerBytes }),
  },
];

const instance: Provider = {
  provide: InferenceInstance,
  inject: [
    SETTINGS,
    NATS,
    CatalogSource,
    Announcer,
    GenerationServer,
    GenerationService,
    UpstreamPools,
    InferenceMetrics,
    HealthReporter,
    Tracer,
    LOGGER,
  ],
  useFactory: (
    settings: InferenceSettings,
    connection: NatsConnection,
    catalog: CatalogSource,
    announcer: Announcer,
    server: GenerationServer,
    service: GenerationService,
    pools: UpstreamPools,
    metrics: InferenceMetrics,
    health: HealthReporter,
    tracer: Tracer,
    logger: Logger,
  ) =>
    new InferenceInstance(settings, {
      connection,
      catalog,
      announcer,
      server,
      generation: service,
      pools,
      metrics,
      health,
      tracer,
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
