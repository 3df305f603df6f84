import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/**
 * Who decided about a request: Valkey's log, this edge within its share, another edge that lent of its own,
 * or the memory of an earlier refusal.
 */
type DecidedBy = 'valkey' | 'share' | 'loan' | 'memory';

/** What the shared limiter counts, for Prometheus. */
export class LimitMetrics {
  private readonly decisions: Counter;
  private readonly tokenDecisions: Counter;
  private readonly shared: Gauge;

  constructor(registry: Registry) {
    this.decisions = new Counter({
      name: 'edge_rate_limit_decisions_total',
      help: 'Requests of limited keys by who decided: valkey, share (Valkey was away, or not all edges had it), loan (of another edge’s share), memory (refused before, and still so).',
      labelNames: ['by'],
      registers: [registry],
    });
    this.tokenDecisions = new Counter({
      name: 'edge_token_rate_decisions_total',
      help: 'Requests by who decided about a limit of tokens a minute, of a key or of its models: valkey, share, memory, as of limited keys.',
      labelNames: ['by'],
      registers: [registry],
    });
    this.shared = new Gauge({
      name: 'edge_rate_limit_shared',
      help: '1 while all edges decide by the log in Valkey, 0 while each works within its share.',
      registers: [registry],
    });
  }

  decided(by: DecidedBy): void {
    this.decisions.inc({ by });
  }

  /** About a limit of tokens a minute; nobody lends of one. */
  decidedTokens(by: Exclude<DecidedBy, 'loan'>): void {
    this.tokenDecisions.inc({ by });
  }

  isShared(shared: boolean): void {
    this.shared.set(shared ? 1 : 0);
  }
}
