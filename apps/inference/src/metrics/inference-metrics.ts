import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, TokenUsage } from '@tollgate/contracts';
import { ownKeyProvider } from '@tollgate/contracts/accounts';
import type { DeploymentHealth, GenerationRequest, ProviderKeyRest } from '@tollgate/contracts/inference';
import { GenerationServer, UsagePublisher } from '@tollgate/messaging';
import type { NatsGenerationServer, OrphanedUsage } from '@tollgate/messaging';
import { Figures } from '@tollgate/observability';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { AttemptGate } from '../health/attempt-gate';
import { KeyRests } from '../health/key-rests';
import type { Route } from '../routing/route-table';
import type { ProviderEndpoint } from '../upstream/provider-endpoint';
import { ORPHANS } from '../usage/usage-providers';
import { watchDeployments } from './deployment-metrics';

const secondsBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * What an operator sees of this instance (Prometheus). Labels are providers, deployments, models, outcomes
 * and surfaces only: the catalog bounds their number.
 */
@Injectable()
export class InferenceMetrics extends Figures {
  private readonly inFlight = new Gauge({
    name: 'tollgate_inference_in_flight',
    help: 'Generations that run now.',
    registers: [this.registry],
  });

  private readonly attempts = new Counter({
    name: 'tollgate_inference_attempts_total',
    help: 'Attempts at providers by outcome: completed, stopped, outrun, internal, or the code of the error.',
    labelNames: ['provider', 'outcome'],
    registers: [this.registry],
  });

  private readonly sentAgain = new Counter({
    name: 'tollgate_inference_sent_again_total',
    help: 'Requests that went out once more within their attempt: the provider closed the connection as they came.',
    labelNames: ['provider'],
    registers: [this.registry],
  });

  private readonly attemptTimes = new Histogram({
    name: 'tollgate_inference_upstream_seconds',
    help: 'From the beginning of an attempt at a provider to its end.',
    labelNames: ['provider'],
    buckets: secondsBuckets,
    registers: [this.registry],
  });

  private readonly firstBytes = new Histogram({
    name: 'tollgate_inference_upstream_first_byte_seconds',
    help: 'From the sending of a request to a provider to the head of its answer.',
    labelNames: ['provider'],
    buckets: secondsBuckets,
    registers: [this.registry],
  });

  private readonly tokens = new Counter({
    name: 'tollgate_inference_tokens_total',
    help: 'Tokens that generations used, by the provider and model that answered; input includes what came from caches.',
    labelNames: ['provider', 'model', 'kind'],
    registers: [this.registry],
  });

  private readonly durations = new Histogram({
    name: 'tollgate_inference_generation_seconds',
    help: 'From the arrival of a request at edge to the end of its answer.',
    labelNames: ['surface', 'state'],
    buckets: secondsBuckets,
    registers: [this.registry],
  });

  private readonly firstTokens = new Histogram({
    name: 'tollgate_inference_first_token_seconds',
    help: 'From the arrival of a request at edge to the first content that was passed on.',
    labelNames: ['surface'],
    buckets: secondsBuckets,
    registers: [this.registry],
  });

  private readonly droppedFindings = new Counter({
    name: 'tollgate_inference_guardrail_findings_dropped_total',
    help: 'Findings of guardrails that the dashboard does not count, since metering was away for too long.',
    registers: [this.registry],
  });
  private readonly guardrails = new Counter({
    name: 'tollgate_inference_guardrail_findings_total',
    help: 'Answers in which a guardrail found something, by what it did.',
    labelNames: ['guardrail', 'action'],
    registers: [this.registry],
  });

  /**
   * What is read at each scrape: events that JetStream has not acknowledged yet, events published for
   * instances that died, requests that another instance has, too, and how the deployments and keys stand.
   */
  constructor(
    registry: Registry,
    @Inject(UsagePublisher) usage: Pick<UsagePublisher, 'pending'>,
    @Inject(ORPHANS) orphans: Pick<OrphanedUsage, 'published'> | null,
    @Inject(AttemptGate) gate: { report(): readonly DeploymentHealth[] },
    @Inject(KeyRests) keys: Pick<KeyRests, 'report'>,
    @Inject(GenerationServer) server: Pick<NatsGenerationServer, 'askedTwice'>,
  ) {
    super(registry);
    watchDeployments(this.registry, () => gate.report());
    watchKeys(this.registry, () => keys.report());
    const pending: Gauge = new Gauge({
      name: 'tollgate_inference_pending_usage_events',
      help: 'Usage events that are not stored yet.',
      registers: [this.registry],
      collect: () => pending.set(usage.pending),
    });
    const orphaned: Gauge = new Gauge({
      name: 'tollgate_inference_orphaned_usage_events',
      help: 'Usage events that this instance published for instances that died, since it started.',
      registers: [this.registry],
      collect: () => orphaned.set(orphans?.published ?? 0),
    });
    const twice: Counter = new Counter({
      name: 'tollgate_inference_asked_twice_requests_total',
      help: 'Requests that this instance asked a provider for and another one answered, as edge heard nothing of it: the provider may bill both, their callers pay once.',
      registers: [this.registry],
      collect: () => {
        twice.reset();
        twice.inc(server.askedTwice);
      },
    });
  }

  guardrailFindingsDropped(count: number): void {
    this.droppedFindings.inc(count);
  }

  guardrailFound(guardrail: string, action: string): void {
    this.guardrails.inc({ guardrail, action });
  }

  generationBegan(): void {
    this.inFlight.inc();
  }

  /**
   * `firstTokenAt` is epoch milliseconds, null when no content was sent. It counts where the answer is
   * streamed.
   */
  generationEnded(request: GenerationRequest, state: string, firstTokenAt: number | null): void {
    this.inFlight.dec();
    const { surface, startedAt, stream } = request;
    this.durations.observe({ surface, state }, (Date.now() - startedAt) / 1_000);
    if (stream && firstTokenAt !== null) this.firstTokens.observe({ surface }, (firstTokenAt - startedAt) / 1_000);
  }

  /** `firstByteMs` null: the provider sent no head. */
  attemptEnded({ provider, error, latencyMs }: Attempt, firstByteMs: number | null): void {
    this.attempts.inc({ provider, outcome: error ?? 'completed' });
    this.attemptTimes.observe({ provider }, latencyMs / 1_000);
    if (firstByteMs !== null) this.firstBytes.observe({ provider }, firstByteMs / 1_000);
  }

  wentOutAgain(endpoint: ProviderEndpoint): void {
    this.sentAgain.inc({ provider: named(endpoint) });
  }

  tokensUsed({ endpoint, model }: Route, { input, output }: TokenUsage): void {
    const provider = named(endpoint);
    // Whoever may name any model must not make a series of each.
    const name = model.unlisted ? `${endpoint.provider.id}/*` : model.id;
    if (input > 0) this.tokens.inc({ provider, model: name, kind: 'input' }, input);
    if (output > 0) this.tokens.inc({ provider, model: name, kind: 'output' }, output);
  }
}

/** Keys that rest, read at each scrape. Labels are providers and the numbers of their keys only. */
function watchKeys(registry: Registry, resting: () => readonly ProviderKeyRest[]): void {
  new Gauge({
    name: 'tollgate_inference_key_rest_seconds',
    help: 'For how long keys of providers that have several are still left alone, by what the provider answered.',
    labelNames: ['provider', 'key', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      // A key that rests at several models is one series: the longest of them.
      const longestLast = resting().toSorted((one, other) => one.restsForMs - other.restsForMs);
      for (const { provider, key, status, restsForMs } of longestLast)
        this.set({ provider, key: String(key), status: String(status) }, restsForMs / 1_000);
    },
  });
}

/** What is asked with keys of accounts is told apart. */
function named({ provider: { id }, isOwnKey }: ProviderEndpoint): string {
  return isOwnKey ? ownKeyProvider(id) : id;
}
