import { Module } from '@nestjs/common';
import type { OnApplicationShutdown, Provider } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import type { CatalogSnapshot } from '@tollgate/contracts/catalog';
import { ControlClient, GenerationClient, NatsGenerationClient, UsagePublisher } from '@tollgate/messaging';
import { createTracer, Tracer } from '@tollgate/observability';
import type { Logger } from '@tollgate/observability';
import { CatalogFollower, LOGGER, NATS, type ServiceDefinition } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { AdminApi, AdminApiController } from './admin-api/admin-api';
import { AdminStrategy } from './admin-api/admin.strategy';
import { AdminTokenLookups } from './admin-api/admin-token-lookups';
import { Admission, ConcurrencyGate } from './admission/admission';
import { chooseLimitStores, LimitStores } from './admission/choose-limit-stores';
import { BudgetReservations } from './admission/leases/budget-reservations';
import { LeaseRounds } from './admission/leases/lease-rounds';
import { MeteringLeases } from './admission/leases/metering-leases';
import { QuotaReservations } from './admission/leases/quota-reservations';
import { RateLimitStore } from './admission/rate-limit-store';
import { RequestRates } from './admission/request-rates';
import { TokenRateStore } from './admission/token-rates/token-rate-store';
import { askAccounts } from './callers/ask-accounts';
import { Authenticator } from './callers/authenticator';
import { BearerStrategy } from './callers/bearer.strategy';
import { KeyDirectory } from './callers/key-directory';
import { KeyNotices } from './callers/key-notices';
import { ModelCatalog } from './catalog/model-catalog';
import { ModelsController } from './catalog/models.controller';
import { Clock } from './clock';
import { ConnectedControlClient } from './connected-control-client';
import { ContentLogging } from './content-log/content-logging';
import { DeploymentStates } from './dashboard/admin/deployment-states';
import { InferenceInstances } from './dashboard/admin/inference-instances';
import { DashboardServices } from './dashboard/dashboard-services';
import { AllowedMethods } from './errors/allowed-methods';
import { ErrorFilter } from './errors/error.filter';
import { BodyThreads } from './generation/body-threads';
import { CallerAnswers } from './generation/answer';
import { Dispatcher, FallBacks } from './generation/dispatcher';
import { GenerationEndpoint } from './generation/generation-endpoint';
import { OpenGenerations } from './callers/open-by-key';
import { OwnAnswers } from './generation/own-answers';
import { RemadeResponses } from './generation/remade-responses';
import { RequestReader } from './generation/request-reader';
import { ZstdThreads } from './generation/zstd-threads';
import { Reservations } from './generation/reservations';
import { CostTeller } from './generation/told-cost';
import { GuardrailFindings, RequestGuard } from './generation/request-guard';
import { EdgeMetrics } from './edge-metrics';
import { HealthController, Readiness } from './http/health.controller';
import { edgeHttp } from './http/edge-http';
import { EdgeServer } from './http/edge-server';
import { Leaving } from './http/leaving';
import { RequestContexts, ResponseHeaders } from './http/request-context';
import { MessagingLink } from './messaging-link';
import { Refusals } from './errors/refusals';
import { MetricsController } from './reports/metrics.controller';
import { UsageController } from './reports/usage.controller';
import { ResponseCaching } from './response-cache/response-caching';
import { BackgroundStore } from './responses/background/background-store';
import { BackgroundWorks } from './responses/background/background-works';
import { EventStreams } from './responses/background/event-streams';
import { ConversationStore } from './responses/conversation-store';
import { ConversationsController } from './responses/conversations.controller';
import { ReadingMemory } from './responses/reading-memory';
import { ResponsesController } from './responses/responses.controller';
import { RememberedTurns } from './responses/socket/near-turns';
import { ResponsesSockets } from './responses/socket/responses-sockets';
import { StatefulRequests } from './responses/stateful-requests';
import { TurnKeeper } from './responses/turn-keeper';
import { TurnStore } from './responses/turn-store';
import { ScimController } from './scim/scim.controller';
import { Settings } from './settings';

/** How edge reaches the other services. */
const messaging: Provider[] = [
  MessagingLink,
  { provide: ControlClient, useClass: ConnectedControlClient },
  {
    provide: NatsGenerationClient,
    inject: [NATS, LOGGER],
    useFactory: (connection: NatsConnection, logger: Logger) => new NatsGenerationClient(connection, { logger }),
  },
  { provide: GenerationClient, useExisting: NatsGenerationClient },
  {
    provide: UsagePublisher,
    inject: [NATS, LOGGER],
    useFactory: (connection: NatsConnection, logger: Logger) => new UsagePublisher(connection, { logger }),
  },
  {
    provide: CatalogFollower,
    inject: [NATS, ControlClient, LOGGER, ModelCatalog, EdgeMetrics],
    useFactory: (
      connection: NatsConnection,
      control: ControlClient,
      logger: Logger,
      catalog: ModelCatalog,
      { registry }: EdgeMetrics,
    ) => {
      const use = (snapshot: CatalogSnapshot): void => {
        const { revision, available } = snapshot;
        if (catalog.use(snapshot)) logger.info({ revision, available: available.length }, 'catalog snapshot');
      };
      return new CatalogFollower(connection, control, logger, use, registry);
    },
  },
  {
    provide: Tracer,
    inject: [Settings],
    useFactory: ({ tracing }: Settings) => createTracer('edge', tracing),
  },
];

const callers: Provider[] = [
  BearerStrategy,
  KeyNotices,
  {
    provide: KeyDirectory,
    inject: [ControlClient, Clock, LOGGER],
    useFactory: (control: ControlClient, clock: Clock, logger: Logger) =>
      new KeyDirectory(askAccounts(control, clock, logger), clock),
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
  MeteringLeases,
  QuotaReservations,
  BudgetReservations,
  LeaseRounds,
  RequestRates,
  { provide: RateLimitStore, inject: [LimitStores], useFactory: ({ requests }: LimitStores) => requests },
  { provide: TokenRateStore, inject: [LimitStores], useFactory: ({ tokens }: LimitStores) => tokens },
  {
    provide: LimitStores,
    inject: [Settings, NatsGenerationClient, MessagingLink, Clock, EdgeMetrics, LOGGER],
    useFactory: (
      { valkey }: Settings,
      { edgeId }: NatsGenerationClient,
      { connection }: MessagingLink,
      clock: Clock,
      { registry }: EdgeMetrics,
      logger: Logger,
    ) => chooseLimitStores(valkey, { edgeId, connection, clock, registry, logger }),
  },
];

/** All of an edge. */
@Module({
  imports: [PassportModule],
  controllers: [
    ModelsController,
    ResponsesController,
    ConversationsController,
    UsageController,
    MetricsController,
    HealthController,
    AdminApiController,
    ScimController,
  ],
  providers: [
    Clock,
    ...messaging,
    ...callers,
    ...admission,
    ModelCatalog,
    GenerationEndpoint,
    RequestReader,
    CallerAnswers,
    OwnAnswers,
    Dispatcher,
    FallBacks,
    CostTeller,
    Reservations,
    BodyThreads,
    ZstdThreads,
    ResponseCaching,
    GuardrailFindings,
    RequestGuard,
    ContentLogging,
    StatefulRequests,
    TurnKeeper,
    TurnStore,
    ConversationStore,
    BackgroundStore,
    BackgroundWorks,
    EventStreams,
    RemadeResponses,
    ResponsesSockets,
    RememberedTurns,
    ReadingMemory,
    OpenGenerations,
    Refusals,
    EdgeMetrics,
    Readiness,
    AllowedMethods,
    ErrorFilter,
    RequestContexts,
    ResponseHeaders,
    EdgeServer,
    Leaving,
    AdminTokenLookups,
    AdminStrategy,
    AdminApi,
    DashboardServices,
    InferenceInstances,
    DeploymentStates,
  ],
})
class EdgeModule implements OnApplicationShutdown {
  constructor(private readonly tracer: Tracer) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracer.shutdown();
  }
}

/** The service. Its port is open before the catalog is known, and says so. */
export const edge: ServiceDefinition<Settings> = {
  name: 'edge',
  settings: Settings,
  module: () => EdgeModule,
  http: edgeHttp,
  checks: {
    catalog: (classes) => classes.get(Readiness).checks.catalog(),
    accepting: (classes) => classes.get(Readiness).checks.accepting(),
  },
};
