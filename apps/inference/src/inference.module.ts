import { Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import type { CatalogSnapshot } from '@tollgate/contracts/catalog';
import { guardrailOperations, type FoundInHour } from '@tollgate/contracts/metering';
import { FindingCounts } from '@tollgate/guardrails';
import { ControlClient, FairMemory, GenerationServer, NatsGenerationServer, UsagePublisher } from '@tollgate/messaging';
import type { UsageJournal } from '@tollgate/messaging';
import { createTracer, Tracer, type Logger } from '@tollgate/observability';
import { CatalogFollower, LOGGER, NATS, PeriodicWork, type ServiceDefinition } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { Registry } from 'prom-client';
import { ProviderBills } from './bills/provider-bills';
import { ProviderBillsController } from './bills/provider-bills.controller';
import { Announcer } from './credentials/announcer';
import { OwnKeys } from './credentials/own-keys';
import { ProviderCredentials } from './credentials/provider-credentials';
import { SealedKeysController } from './credentials/sealed-keys.controller';
import { everyMs, ModelDiscovery } from './discovery/model-discovery';
import { AnswerTurns } from './generation/caller-answer';
import { GenerationIntake, GenerationService } from './generation/generation-service';
import { TranslationThreads } from './generation/translation-threads';
import { AnswerGuards } from './generation/answer-guards';
import { AttemptGate } from './health/attempt-gate';
import { HealthReporter } from './health/health-reporter';
import { KeyRests } from './health/key-rests';
import { InferenceMetrics } from './metrics/inference-metrics';
import { ProviderChecksController } from './provider-check/provider-checks.controller';
import { Router } from './routing/router';
import { InferenceSettings } from './settings';
import { UpstreamPools } from './upstream/upstream-pools';
import { JOURNAL, usageProviders } from './usage/usage-providers';

/** How often metering is told what guardrails found, and how long it may take. */
const tellMs = 2_000;

/**
 * Classes that are made with less, or other things, than Nest would give them: with a setting, or in tests
 * with a clock.
 */
const made: Provider[] = [
  {
    provide: GenerationServer,
    inject: [NATS, UsagePublisher, JOURNAL, LOGGER],
    useFactory: (connection: NatsConnection, usage: UsagePublisher, journal: UsageJournal | null, logger: Logger) =>
      new NatsGenerationServer(connection, { usage, journal, logger }),
  },
  {
    provide: Tracer,
    inject: [InferenceSettings],
    useFactory: ({ tracing }: InferenceSettings) => createTracer('inference', tracing),
  },
  {
    provide: UpstreamPools,
    inject: [InferenceSettings, InferenceMetrics],
    useFactory: ({ upstreamConnections }: InferenceSettings, metrics: InferenceMetrics) =>
      new UpstreamPools(upstreamConnections, (endpoint) => metrics.wentOutAgain(endpoint)),
  },
  {
    provide: AttemptGate,
    inject: [InferenceSettings],
    useFactory: ({ minConcurrency, upstreamConnections }: InferenceSettings) =>
      new AttemptGate(minConcurrency, upstreamConnections),
  },
  { provide: KeyRests, useFactory: () => new KeyRests() },
  {
    provide: Router,
    inject: [InferenceSettings, UpstreamPools, AttemptGate, KeyRests, LOGGER],
    useFactory: (
      { sandbox, sandboxUrl, secrets, ring, privateHosts }: InferenceSettings,
      pools: UpstreamPools,
      gate: AttemptGate,
      keys: KeyRests,
      logger: Logger,
    ) => {
      const credentials = new ProviderCredentials(sandbox, sandboxUrl !== null, secrets, ring, privateHosts);
      return new Router(credentials, sandboxUrl, pools, gate, keys, (problem) => logger.warn(problem));
    },
  },
  {
    provide: ModelDiscovery,
    inject: [Router, PeriodicWork, LOGGER],
    useFactory: (router: Router, work: PeriodicWork, logger: Logger) => {
      const discovery = new ModelDiscovery(() => router.endpoints, logger);
      work.add({ name: 'lists of models', everyMs, run: () => discovery.look() });
      return discovery;
    },
  },
  {
    provide: CatalogFollower,
    inject: [NATS, ControlClient, LOGGER, Router, Announcer, ModelDiscovery, AnswerGuards, Registry],
    useFactory: (
      connection: NatsConnection,
      control: ControlClient,
      logger: Logger,
      router: Router,
      announcer: Announcer,
      discovery: ModelDiscovery,
      guards: AnswerGuards,
      registry: Registry,
    ) => {
      const use = (snapshot: CatalogSnapshot): void => {
        guards.use(snapshot);
        if (!router.use(snapshot)) return;
        announcer.tell();
        void discovery.look();
        logger.info({ providers: router.realProviders }, 'providers that answer themselves');
        if (router.sandbox) logger.warn('the sandbox invents the answers of all other providers');
      };
      return new CatalogFollower(connection, control, logger, use, registry);
    },
  },
  {
    provide: FindingCounts,
    inject: [GenerationServer, ControlClient, InferenceMetrics, PeriodicWork],
    useFactory: (server: GenerationServer, control: ControlClient, metrics: InferenceMetrics, work: PeriodicWork) => {
      const counts = new FindingCounts(server.instanceId, (count) => metrics.guardrailFindingsDropped(count));
      const patience = { timeoutMs: tellMs, absentMs: 0 };
      const keep = (hours: FoundInHour[]) => control.call(guardrailOperations.record, { hours }, patience);
      work.add({ name: 'findings of guardrails', everyMs: tellMs, run: () => counts.tell(keep) });
      return counts;
    },
  },
  {
    provide: TranslationThreads,
    inject: [LOGGER],
    useFactory: (logger: Logger) => new TranslationThreads(logger),
  },
  {
    provide: GenerationService,
    inject: [
      InferenceSettings,
      LOGGER,
      Router,
      UpstreamPools,
      AttemptGate,
      KeyRests,
      InferenceMetrics,
      Tracer,
      AnswerGuards,
      TranslationThreads,
    ],
    useFactory: (
      { retries, maxAnswerBytes, answerMemory, ring }: InferenceSettings,
      logger: Logger,
      router: Router,
      upstream: UpstreamPools,
      gate: AttemptGate,
      keys: KeyRests,
      metrics: InferenceMetrics,
      tracer: Tracer,
      guards: AnswerGuards,
      threads: TranslationThreads,
    ) => {
      const memory = new FairMemory(answerMemory);
      const turns = new AnswerTurns();
      const resources = {
        upstream,
        gate,
        keys,
        metrics,
        tracer,
        logger,
        retries,
        maxAnswerBytes,
        memory,
        turns,
        threads,
      };
      return new GenerationService(router, resources, guards, new OwnKeys(ring));
    },
  },
];

/** All of an inference instance. */
@Module({
  controllers: [ProviderChecksController, ProviderBillsController, SealedKeysController],
  providers: [
    ...usageProviders,
    ...made,
    AnswerGuards,
    Announcer,
    GenerationIntake,
    HealthReporter,
    InferenceMetrics,
    ProviderBills,
  ],
})
class InferenceModule implements OnApplicationShutdown {
  constructor(
    private readonly pools: UpstreamPools,
    private readonly tracer: Tracer,
    private readonly threads: TranslationThreads,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
    await this.pools.close();
    await this.tracer.shutdown();
  }
}

/** The service: takes calls once it knows the catalog. */
export const inference: ServiceDefinition<InferenceSettings> = {
  name: 'inference',
  settings: InferenceSettings,
  module: () => InferenceModule,
  checks: {
    catalog: (classes) => classes.get(CatalogFollower).current !== null,
    accepting: (classes) => classes.get(GenerationIntake).isAccepting,
  },
};
