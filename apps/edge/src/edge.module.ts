import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { accountsOperations } from '@tollgate/contracts';
import { ControlClient, Echo, GenerationClient, NatsGenerationClient, UsagePublisher } from '@tollgate/messaging';
import { Tracer } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { Admission } from './admission/admission';
import { chooseRateLimitStore } from './admission/choose-rate-limit-store';
import { ConcurrencyGate } from './admission/concurrency-gate';
import { LeaseKeeper } from './admission/lease-keeper';
import { MeteringLeases } from './admission/metering-leases';
import { QuotaBook } from './admission/quota-book';
import { RateLimitStore } from './admission/rate-limit-store';
import { Authenticator } from './callers/authenticator';
import { BearerStrategy } from './callers/bearer.strategy';
import { KeyDirectory } from './callers/key-directory';
import { CatalogFeed } from './catalog/catalog-feed';
import { ModelCatalog } from './catalog/model-catalog';
import { ModelsController } from './catalog/models.controller';
import { Clock } from './clock';
import { ConnectedControlClient } from './connected-control-client';
import { ContentLogging } from './content-log/content-logging';
import { DeploymentStates } from './dashboard/admin/deployment-states';
import { InferenceInstances } from './dashboard/admin/inference-instances';
import { Backstage } from './dashboard/backstage';
import { GenerationEndpoint } from './generation/generation-endpoint';
import { BodyThreads } from './generation/body-threads';
import { OpenGenerations } from './generation/open-generations';
import { RequestReader } from './generation/request-reader';
import { RequestGuard } from './guardrails/request-guard';
import { EdgeMetrics } from './health/edge-metrics';
import { HealthController } from './health/health.controller';
import { Readiness } from './health/readiness';
import { RequestContexts } from './http/request-contexts';
import { ResponseHeaders } from './http/response-headers';
import { MessagingLink } from './messaging-link';
import { MetricsController } from './reports/metrics.controller';
import { UsageController } from './reports/usage.controller';
import { ResponseCaching } from './response-cache/response-caching';
import { BackgroundStore } from './responses/background/background-store';
import { BackgroundWorks } from './responses/background/background-works';
import { ConversationStore } from './responses/conversation-store';
import { ConversationsController } from './responses/conversations.controller';
import { ReadingMemory } from './responses/reading-memory';
import { ResponsesController } from './responses/responses.controller';
import { StatefulRequests } from './responses/stateful-requests';
import { TurnKeeper } from './responses/turn-keeper';
import { TurnStore } from './responses/turn-store';
import { LOGGER, Settings } from './settings';

@Module({})
export class EdgeModule {
  /** One edge on a connection to NATS that somebody else opened, and closes. */
  static on(settings: Settings, connection: NatsConnection, logger: Logger, tracer: Tracer): DynamicModule {
    return {
      module: EdgeModule,
      imports: [PassportModule],
      controllers: [
        ModelsController,
        ResponsesController,
        ConversationsController,
        UsageController,
        MetricsController,
        HealthController,
      ],
      providers: [
        Clock,
        { provide: Settings, useValue: settings },
        { provide: LOGGER, useValue: logger },
        { provide: Tracer, useValue: tracer },
        ...messaging(connection, logger),
        ...callers,
        ...admission,
        ModelCatalog,
        CatalogFeed,
        GenerationEndpoint,
        RequestReader,
        BodyThreads,
        ResponseCaching,
        RequestGuard,
        ContentLogging,
        StatefulRequests,
        TurnKeeper,
        TurnStore,
        ConversationStore,
        BackgroundStore,
        BackgroundWorks,
        ReadingMemory,
        OpenGenerations,
        EdgeMetrics,
        Readiness,
        RequestContexts,
        ResponseHeaders,
        Backstage,
        InferenceInstances,
        DeploymentStates,
      ],
    };
  }
}

function messaging(connection: NatsConnection, logger: Logger): Provider[] {
  return [
    { provide: MessagingLink, useValue: new MessagingLink(connection) },
    { provide: Echo, useValue: new Echo(connection, logger) },
    {
      provide: ControlClient,
      inject: [MessagingLink],
      useFactory: (link: MessagingLink) => new ConnectedControlClient(link),
    },
    { provide: NatsGenerationClient, useFactory: () => new NatsGenerationClient(connection, { logger }) },
    { provide: GenerationClient, useExisting: NatsGenerationClient },
    { provide: UsagePublisher, useFactory: () => new UsagePublisher(connection, { logger }) },
  ];
}

const callers: Provider[] = [
  BearerStrategy,
  {
    provide: KeyDirectory,
    inject: [ControlClient, Clock],
    useFactory: (control: ControlClient, clock: Clock) =>
      new KeyDirectory(
        (digest, formerDigests, timeoutMs) =>
          control.call(accountsOperations.resolveKey, { digest, formerDigests: [...formerDigests] }, { timeoutMs }),
        clock,
      ),
  },
  {
    provide: Authenticator,
    inject: [KeyDirectory, Settings, Clock],
    useFactory: (directory: KeyDirectory, settings: Settings, clock: Clock) =>
      new Authenticator(directory, [settings.pepper, ...settings.formerPeppers], clock),
  },
];

const admission: Provider[] = [
  Admission,
  ConcurrencyGate,
  LeaseKeeper,
  {
    provide: RateLimitStore,
    inject: [Settings, NatsGenerationClient, MessagingLink, Clock, EdgeMetrics, LOGGER],
    useFactory: (
      { valkey }: Settings,
      { edgeId }: NatsGenerationClient,
      { connection }: MessagingLink,
      clock: Clock,
      { registry }: EdgeMetrics,
      logger: Logger,
    ) => chooseRateLimitStore(valkey, { edgeId, connection, clock, registry, logger }),
  },
  {
    provide: MeteringLeases,
    inject: [ControlClient, NatsGenerationClient],
    useFactory: (control: ControlClient, { edgeId }: NatsGenerationClient) => new MeteringLeases(control, edgeId),
  },
  {
    provide: QuotaBook,
    inject: [MeteringLeases, Clock],
    useFactory: (metering: MeteringLeases, clock: Clock) => new QuotaBook(metering, clock),
  },
];
