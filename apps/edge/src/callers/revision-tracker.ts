/** Silence of accounts after which changes may have been missed. Accounts sends a heartbeat every second. */
const silenceMs = 5_000;
/**
 * Older epochs than this many are forgotten: keys learnt in them count as certain only since they were
 * learnt.
 */
const rememberedEpochs = 64;

/**
 * Follows the numbered changes that accounts tells, and knows whether one may have been missed.
 * `epoch` grows when something was missed for certain: what was learnt in an older epoch may be out of date.
 */
export class RevisionTracker {
  epoch = 0;
  private readonly heardAtMs = new Map<number, number>();
  private connected = false;
  private revision: number | null = null;

  /** True while accounts can be heard, so that a change would have been told. */
  isListening(nowMs: number): boolean {
    return this.connected && nowMs - this.lastHeardAtMs(this.epoch) <= silenceMs;
  }

  /**
   * Until when everything that was known in this epoch was certain, monotonic milliseconds; -Infinity when
   * that is not known.
   */
  lastHeardAtMs(epoch: number): number {
    return this.heardAtMs.get(epoch) ?? -Infinity;
  }

  /** A change with this number arrived. True when an earlier one is missing. */
  change(revision: number, nowMs: number): boolean {
    const missed = this.revision !== null && revision > this.revision + 1;
    this.hear(Math.max(this.revision ?? revision, revision), missed, nowMs);
    return missed;
  }

  /**
   * A heartbeat says how many changes there were. True when one of them never arrived, and also when there
   * are fewer than before: accounts' own count began anew (a restored database), so everything is in doubt.
   */
  heartbeat(revision: number, nowMs: number): boolean {
    const missed = this.revision !== null && revision !== this.revision;
    this.hear(revision, missed, nowMs);
    return missed;
  }

  /** The connection was lost: nothing is certain until the next notice says whether a change was missed. */
  disconnected(): void {
    this.connected = false;
  }

  private hear(revision: number, missed: boolean, nowMs: number): void {
    if (missed) this.epoch += 1;
    this.revision = revision;
    this.connected = true;
    this.heardAtMs.set(this.epoch, nowMs);
    this.heardAtMs.delete(this.epoch - rememberedEpochs);
  }
}
