import type { GenerationRequest } from '@tollgate/contracts';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const secondsBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** What an operator sees of this instance (Prometheus). Labels are providers, outcomes and surfaces only: their number is bounded. */
export class InferenceMetrics {
  readonly registry = new Registry();

  private readonly inFlight = new Gauge({
    name: 'tollgate_inference_in_flight',
    help: 'Generations that run now.',
    registers: [this.registry],
  });

  private readonly attempts = new Counter({
    name: 'tollgate_inference_attempts_total',
    help: 'Attempts at providers by outcome: completed, stopped, internal, or the code of the error.',
    labelNames: ['provider', 'outcome'],
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

  /** `pendingUsageEvents` is read at each scrape: events that JetStream has not acknowledged yet. */
  constructor(pendingUsageEvents: () => number) {
    collectDefaultMetrics({ register: this.registry });
    const pending: Gauge = new Gauge({
      name: 'tollgate_inference_pending_usage_events',
      help: 'Usage events that are not stored yet.',
      registers: [this.registry],
      collect: () => pending.set(pendingUsageEvents()),
    });
  }

  generationBegan(): void {
    this.inFlight.inc();
  }

  /** `firstTokenAt` is epoch milliseconds, null when no content was sent. */
  generationEnded(request: GenerationRequest, state: string, firstTokenAt: number | null): void {
    this.inFlight.dec();
    const { surface, startedAt } = request;
    this.durations.observe({ surface, state }, (Date.now() - startedAt) / 1_000);
    if (firstTokenAt !== null) this.firstTokens.observe({ surface }, (firstTokenAt - startedAt) / 1_000);
  }

  attemptEnded(provider: string, outcome: string): void {
    this.attempts.inc({ provider, outcome });
  }
}
