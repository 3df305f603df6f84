import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { Clock } from '../../clock';
import { windowMs } from '../rolling-log';
import { TokenLog } from './token-log';
import { TokenRateStore } from './token-rate-store';
import type { TokenRateState, TokensTaken } from './token-rate-store';

/** The limits of tokens a minute of a single edge: an exact log of each, in memory. */
export class MemoryTokenRateStore extends TokenRateStore implements OnModuleInit, OnApplicationShutdown {
  private readonly logs = new Map<string, TokenLog>();
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

  take(name: string, limit: number, tokens: number): TokensTaken {
    const nowMs = this.clock.monotonicMs();
    const log = this.logs.get(name) ?? new TokenLog();
    this.logs.set(name, log);
    log.expire(nowMs);
    const tooMany = log.total + tokens - limit;
    if (tooMany > 0) return { admitted: false, retryAfterMs: log.roomInMs(tooMany, nowMs) };
    const entry = log.push(tokens, nowMs);
    return {
      admitted: true,
      settle: (used) => {
        if (used === 0) log.remove(entry, this.clock.monotonicMs());
        else if (used !== null) log.settle(entry, used, this.clock.monotonicMs());
      },
    };
  }

  state(name: string, limit: number): TokenRateState {
    const log = this.logs.get(name);
    if (!log) return { limit, remaining: limit, resetMs: 0 };
    const nowMs = this.clock.monotonicMs();
    log.expire(nowMs);
    return { limit, remaining: Math.max(0, limit - log.total), resetMs: log.resetMs(nowMs) };
  }

  /** How many limits are remembered. */
  get size(): number {
    return this.logs.size;
  }

  forgetIdle(): void {
    const nowMs = this.clock.monotonicMs();
    for (const [name, log] of this.logs) {
      log.expire(nowMs);
      if (log.isEmpty) this.logs.delete(name);
    }
  }
}
