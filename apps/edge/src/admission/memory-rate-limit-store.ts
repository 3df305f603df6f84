import { Injectable, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock';
import type { RateLimitState } from './rate-limit-store';
import { RateLimitStore, unlimited } from './rate-limit-store';
import { RollingLog, windowMs } from './rolling-log';

/**
 * The limiter of a single edge: an exact log per key, in memory. Keys that were idle for a window are
 * forgotten.
 */
@Injectable()
export class MemoryRateLimitStore extends RateLimitStore implements OnModuleInit, OnApplicationShutdown {
  readonly edges: number = 1;
  private readonly logs = new Map<string, RollingLog>();
  private sweeper: NodeJS.Timeout | null = null;

  constructor(private readonly clock: Clock) {
    super();
  }

  onModuleInit(): void {
    this.sweeper = setInterval(() => this.forgetIdle(), windowMs).unref();
  }

  onApplicationShutdown(): void {
    if (this.sweeper) clearInterval(this.sweeper);
  }

  take(keyId: string, limit: number | null): RateLimitState {
    if (limit === null) return unlimited;
    const nowMs = this.clock.monotonicMs();
    const log = this.logs.get(keyId) ?? this.begin(keyId);
    log.expire(nowMs);
    const admitted = log.length < limit;
    if (admitted) log.push(nowMs);
    return {
      admitted,
      limit,
      remaining: Math.max(0, limit - log.length),
      resetMs: log.length === 0 ? 0 : log.at(log.length - 1) + windowMs - nowMs,
      retryAfterMs: retryAfterMs(log, limit, nowMs),
      unit: admitted ? nowMs : null,
    };
  }

  giveBack(keyId: string, unit: number): void {
    this.logs.get(keyId)?.remove(unit);
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.logs.size;
  }

  forgetIdle(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [keyId, log] of this.logs) {
      log.expire(nowMs);
      if (log.length === 0) this.logs.delete(keyId);
    }
  }

  private begin(keyId: string): RollingLog {
    const log = new RollingLog();
    this.logs.set(keyId, log);
    return log;
  }
}

/**
 * The wait until fewer than `limit` are left in the window. A limit of 0 has no such time: a whole window is
 * named.
 */
function retryAfterMs(log: RollingLog, limit: number, nowMs: number): number {
  if (log.length < limit) return 0;
  if (limit === 0) return windowMs;
  return log.at(log.length - limit) + windowMs - nowMs;
}
