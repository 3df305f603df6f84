import { LimitMetrics } from '../admission/valkey/limit-metrics';

/** Counts how often its edge decides by its share: on a busy machine it may leave Valkey for a moment. */
export class WatchedLimitMetrics extends LimitMetrics {
  timesAlone = 0;

  override isShared(shared: boolean): void {
    super.isShared(shared);
    if (!shared) this.timesAlone += 1;
  }
}
