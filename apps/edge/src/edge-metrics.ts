import { Injectable } from '@nestjs/common';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { Figures } from '@tollgate/observability';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DropReason } from './content-log/content-queue';
import type { GenerationOutcome } from './generation/generation';

/** Of so many models it is told apart what they are used for. */
const mostModels = 1_000;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * What edge counts, for Prometheus, on the internal port. Labels are routes, surfaces, states and models of
 * the catalog: their number is bounded.
 */
@Injectable()
export class EdgeMetrics extends Figures {
  private readonly models = new Set<string>();

  private readonly requests = new Counter({
    name: 'edge_requests_total',
    help: 'Answered requests by route and HTTP status; 499 means that the caller left first.',
    labelNames: ['route', 'status'],
    registers: [this.registry],
  });
  private readonly durations = new Histogram({
    name: 'edge_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer.',
    labelNames: ['route'],
    buckets: seconds,
    registers: [this.registry],
  });
  private readonly overheads = new Histogram({
    name: 'edge_overhead_seconds',
    help: 'Time the gateway itself took of a request, as x-gateway-overhead-ms tells it.',
    buckets: seconds,
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: 'edge_limit_refusals_total',
    help: 'Requests answered 429, by the limit that refused them.',
    labelNames: ['limit'],
    registers: [this.registry],
  });
  private readonly open = new Gauge({
    name: 'edge_open_generations',
    help: 'Generations that run now.',
    registers: [this.registry],
  });
  private readonly openStreams = new Gauge({
    name: 'edge_open_streams',
    help: 'Those of the running generations that stream.',
    registers: [this.registry],
  });
  private readonly generations = new Counter({
    name: 'edge_generations_total',
    help: 'Generations that inference was asked for, by the state in which they ended.',
    labelNames: ['surface', 'model', 'state'],
    registers: [this.registry],
  });
  private readonly tokens = new Counter({
    name: 'edge_tokens_total',
    help: 'Input and output tokens of those generations, as they were settled against quotas.',
    labelNames: ['surface', 'model'],
    registers: [this.registry],
  });
  private readonly firstTokens = new Histogram({
    name: 'edge_first_token_seconds',
    help: 'From the arrival of a streaming request to the first bytes of its answer.',
    labelNames: ['surface'],
    buckets: seconds,
    registers: [this.registry],
  });
  private readonly reports = new Counter({
    name: 'edge_usage_reports_total',
    help: 'Usage events that edge published because no inference instance would.',
    registers: [this.registry],
  });
  private readonly guardrails = new Counter({
    name: 'edge_guardrail_findings_total',
    help: 'Requests in which a guardrail found something, by what it did. That of answers is tollgate_inference_guardrail_findings_total.',
    labelNames: ['guardrail', 'action'],
    registers: [this.registry],
  });
  private readonly cacheRequests = new Counter({
    name: 'edge_cache_requests_total',
    help: 'Requests that asked for the response cache: hit, miss, refresh, or bypass where the answer depends on kept state.',
    labelNames: ['result'],
    registers: [this.registry],
  });

  private readonly contentEntries = new Counter({
    name: 'edge_content_log_kept_total',
    help: 'Requests that were logged with their answers, and stored.',
    registers: [this.registry],
  });
  private readonly storedResponses = new Counter({
    name: 'edge_stored_responses_total',
    help: 'Responses that were to be kept, by what came of it (stored, failed).',
    labelNames: ['result'],
    registers: [this.registry],
  });
  private readonly contentDrops = new Counter({
    name: 'edge_content_log_dropped_total',
    help: 'Requests that were to be logged and are not: the queue was full, the entry too_large, refused by metering, its reading failed, or edge stopped.',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  private readonly droppedRefusals = new Counter({
    name: 'edge_refusals_dropped_total',
    help: 'Refused requests that the dashboard does not count, since metering was away for too long.',
    registers: [this.registry],
  });

  private readonly droppedFindings = new Counter({
    name: 'edge_guardrail_findings_dropped_total',
    help: 'Findings of guardrails that the dashboard does not count, since metering was away for too long.',
    registers: [this.registry],
  });

  constructor(registry: Registry) {
    super(registry);
  }

  answered(route: string, status: number, durationMs: number, overheadMs: number): void {
    this.requests.inc({ route, status });
    this.durations.observe({ route }, durationMs / 1_000);
    this.overheads.observe(overheadMs / 1_000);
  }

  refused(limit: 'requests' | 'tokens' | 'budget' | 'concurrency'): void {
    this.refusals.inc({ limit });
  }

  generationsOpen(count: number, streams: number): void {
    this.open.set(count);
    this.openStreams.set(streams);
  }

  generationEnded(request: GenerationRequest, { state, usedTokens, firstTokenAt }: GenerationOutcome): void {
    const { surface, stream, startedAt } = request;
    const model = this.labelOf(request.model);
    this.generations.inc({ surface, model, state });
    this.tokens.inc({ surface, model }, usedTokens);
    if (stream && firstTokenAt !== null) this.firstTokens.observe({ surface }, (firstTokenAt - startedAt) / 1_000);
  }

  /** Whoever may name any model must not make a series of each. */
  private labelOf(model: string): string {
    if (this.models.size < mostModels) this.models.add(model);
    return this.models.has(model) ? model : 'other';
  }

  guardrailFound(guardrail: string, action: string): void {
    this.guardrails.inc({ guardrail, action });
  }

  cacheAsked(result: 'hit' | 'miss' | 'refresh' | 'bypass'): void {
    this.cacheRequests.inc({ result });
  }

  responseStored(isKept: boolean): void {
    this.storedResponses.inc({ result: isKept ? 'stored' : 'failed' });
  }

  guardrailFindingsDropped(count: number): void {
    this.droppedFindings.inc(count);
  }

  refusalsDropped(count: number): void {
    this.droppedRefusals.inc(count);
  }

  contentKept(entries: number): void {
    this.contentEntries.inc(entries);
  }

  contentDropped(reason: DropReason, entries: number): void {
    this.contentDrops.inc({ reason }, entries);
  }

  /** `bytes` is read at each scrape. */
  watchContentQueue(bytes: () => number): void {
    const held: Gauge = new Gauge({
      name: 'edge_content_log_queue_bytes',
      help: 'Bytes of logged requests and answers that wait for metering.',
      registers: [this.registry],
      collect: () => held.set(bytes()),
    });
  }

  /** `bytes` is read at each scrape. */
  watchCache(bytes: () => number): void {
    const held: Gauge = new Gauge({
      name: 'edge_cache_bytes',
      help: 'Bytes of answers in the response cache.',
      registers: [this.registry],
      collect: () => held.set(bytes()),
    });
  }

  /** `count` is read at each scrape. */
  watchInstances(count: () => number): void {
    const instances: Gauge = new Gauge({
      name: 'edge_inference_instances',
      help: 'Inference instances that this edge hears of.',
      registers: [this.registry],
      collect: () => instances.set(count()),
    });
  }

  usageReported(): void {
    this.reports.inc();
  }
}
