import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import type { Registry } from 'prom-client';
import type { Clock } from '../clock';
import { MemoryRateLimitStore } from './memory-rate-limit-store';
import type { RateLimitStore } from './rate-limit-store';
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

/**
 * The limiter of one edge among several, which share their limits in a Valkey; `valkey` null: of the only
 * one.
 */
export function chooseRateLimitStore(
  valkey: ValkeyAddress | null,
  { edgeId, connection, clock, registry, logger }: SharedLimits,
): RateLimitStore {
  if (valkey === null) return new MemoryRateLimitStore(clock);
  const store = new ValkeyRateLimitStore(
    edgeId,
    new ValkeyLog(valkey, logger),
    natsEdgeLink(connection),
    clock,
    new LimitMetrics(registry),
    logger,
  );
  listenToEdges(connection, edgeId, store, logger);
  return store;
}
