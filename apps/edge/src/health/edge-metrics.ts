import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** What edge counts, for Prometheus, on the internal port. */
@Injectable()
export class EdgeMetrics {
  readonly registry = new Registry();

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
  private readonly reports = new Counter({
    name: 'edge_usage_reports_total',
    help: 'Usage events that edge published because no inference instance would.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  answered(route: string, status: number, durationMs: number, overheadMs: number): void {
    this.requests.inc({ route, status });
    this.durations.observe({ route }, durationMs / 1_000);
    this.overheads.observe(overheadMs / 1_000);
  }

  refused(limit: 'requests' | 'tokens' | 'concurrency'): void {
    this.refusals.inc({ limit });
  }

  generationsOpen(count: number): void {
    this.open.set(count);
  }

  usageReported(): void {
    this.reports.inc();
  }
}
