import { Injectable } from '@nestjs/common';
import type { CallerKey } from '@tollgate/contracts';
import { TransientMap } from '@tollgate/messaging';
import { RateLimitStore } from './rate-limit-store';

/**
 * Lets at most so many generations of a key run at once, where its plan says so. Several edges divide that
 * among them: each has its share, at least one.
 */
@Injectable()
export class ConcurrencyGate {
  private readonly running = new TransientMap<string, number>();

  constructor(private readonly limits: RateLimitStore) {}

  /** Takes a place; false: all of this edge's are taken. A place that was taken is given back by `leave`. */
  enter({ id, concurrency }: CallerKey): boolean {
    const running = this.running.get(id) ?? 0;
    if (concurrency !== null && running >= this.shareOf(concurrency)) return false;
    this.running.set(id, running + 1);
    return true;
  }

  leave({ id }: CallerKey): void {
    const running = (this.running.get(id) ?? 0) - 1;
    if (running > 0) this.running.set(id, running);
    else this.running.delete(id);
  }

  private shareOf(concurrency: number): number {
    return concurrency === 0 ? 0 : Math.max(1, Math.floor(concurrency / this.limits.edges));
  }
}
