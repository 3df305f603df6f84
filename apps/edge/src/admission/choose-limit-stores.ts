import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import type { Registry } from 'prom-client';
import type { Clock } from '../clock';
import { MemoryRateLimitStore } from './memory-rate-limit-store';
import type { RateLimitStore } from './rate-limit-store';
import { MemoryTokenRateStore } from './token-rates/memory-token-rate-store';
import type { TokenRateStore } from './token-rates/token-rate-store';
import { ValkeyTokenRateStore } from './token-rates/valkey-token-rate-store';
import { listenToEdges, natsEdgeLink } from './valkey/edge-link';
import { LimitMetrics } from './valkey/limit-metrics';
import { ValkeyLog } from './valkey/valkey-log';
import type { ValkeyAddress } from './valkey/valkey-log';
import { ValkeyRateLimitStore } from './valkey/valkey-rate-limit-store';

/** What a limiter of several edges works with. */
export interface SharedLimits {
  readonly edgeId: string;
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** What counts limits a minute: requests, and tokens. */
export class LimitStores {
  constructor(
    readonly requests: RateLimitStore,
    readonly tokens: TokenRateStore,
  ) {}
}

/**
 * The limiters of one edge among several, which share their limits in a Valkey; `valkey` null: of the only
 * one.
 */
export function chooseLimitStores(
  valkey: ValkeyAddress | null,
  { edgeId, connection, clock, registry, logger }: SharedLimits,
): LimitStores {
  if (valkey === null) return new LimitStores(new MemoryRateLimitStore(clock), new MemoryTokenRateStore(clock));
  const log = new ValkeyLog(valkey, logger);
  const metrics = new LimitMetrics(registry);
  const requests = new ValkeyRateLimitStore(edgeId, log, natsEdgeLink(connection), clock, metrics, logger);
  const tokens = new ValkeyTokenRateStore(edgeId, log, requests, clock, metrics);
  requests.beforeJoining(() => tokens.putInto());
  listenToEdges(connection, edgeId, requests, logger);
  return new LimitStores(requests, tokens);
}
