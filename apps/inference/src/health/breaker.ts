/**
 * closed: attempts go through; open: none does; half-open: a few at a time, to see whether it works again.
 */
export type BreakerState = 'closed' | 'open' | 'half-open';

/**
 * The right to one attempt. What is told of it counts only while the breaker has not changed since; but a
 * probe that is answered always does.
 */
export interface BreakerPermit {
  readonly epoch: number;
  readonly probe: boolean;
}

const firstCoolDownMs = 5_000;
const longestCoolDownMs = 30_000;
/**
 * More would be load on a provider that is just coming back; one alone could be a bad request, or a slow one.
 */
const probesAtOnce = 3;
/** A half-open breaker that nobody asks for so long is closed: what it knows is old. */
const lapsesAfterMs = 20_000;

/**
 * Keeps attempts away for a time. When to open it is decided elsewhere (see DeploymentWatch). After its
 * cool-down (5 s, doubled up to 30 s each time that it opens again before an answer) it lets three probes
 * through at a time; the first that is answered closes it, and so do 20 s in which nobody came. Whoever can
 * go nowhere else is not kept away beyond the 5 s (`aloneMs`), unless the provider asked for more: a provider
 * that is well again must not be refused on their behalf. Times are milliseconds of a clock that never goes
 * back.
 */
export class Breaker {
  /** Since when it is not closed; null while it is. */
  since: number | null = null;
  /** When it last opened. */
  openedAt = Number.NEGATIVE_INFINITY;
  private epoch = 0;
  private openUntil = 0;
  /** For whoever can go nowhere else. */
  private aloneUntil = 0;
  private coolDownMs = firstCoolDownMs;
  /** The probes that run, the oldest first, and until when each may be silent. */
  private readonly probes = new Map<BreakerPermit, number>();
  private openedBySilence = false;

  constructor(private readonly aloneMs = firstCoolDownMs) {}

  /** How many probes run. */
  get probing(): number {
    return this.probes.size;
  }

  state(now: number): BreakerState {
    if (this.since === null) return 'closed';
    if (now < this.openUntil) return 'open';
    if (this.probes.size > 0 || now < this.openUntil + lapsesAfterMs) return 'half-open';
    this.close();
    return 'closed';
  }

  /**
   * How long until an attempt may be let through; 0: at once. `alone`: it can go nowhere else, so that it may
   * go along with the probes.
   */
  waitMs(now: number, alone: boolean): number {
    if (this.state(now) === 'closed') return 0;
    const until = alone ? this.aloneUntil : this.openUntil;
    if (now < until) return until - now;
    if (alone || this.probes.size < probesAtOnce) return 0;
    return Math.max(1, Math.min(...this.probes.values()) - now);
  }

  /** To be called when `waitMs` is 0. A probe may be silent for `probePatienceMs`. */
  begin(now: number, probePatienceMs: number): BreakerPermit {
    const probe = this.state(now) !== 'closed';
    const permit = { epoch: this.epoch, probe };
    if (probe) this.probes.set(permit, now + probePatienceMs);
    return permit;
  }

  /**
   * An attempt was answered, or its answer has begun; `permit` null: it began before the breaker was known.
   * Returns true when that closed the breaker.
   */
  answered(permit: BreakerPermit | null): boolean {
    if (permit) this.probes.delete(permit);
    if (this.since === null || !(permit?.probe || this.openedBySilence)) return false;
    this.close();
    return true;
  }

  /** Whether what began with this permit still counts. */
  isCurrent({ epoch }: BreakerPermit): boolean {
    return epoch === this.epoch;
  }

  /** The attempt is over, and told nothing that closes the breaker. */
  released(permit: BreakerPermit): void {
    this.probes.delete(permit);
  }

  /**
   * The probes that were silent for too long. Each is told once; it closes the breaker all the same when it
   * is answered after all.
   */
  takeSilentProbes(now: number): BreakerPermit[] {
    const silent = Array.from(this.probes).filter(([, until]) => now >= until);
    for (const [permit] of silent) this.probes.delete(permit);
    return silent.map(([permit]) => permit);
  }

  /** `ms` null: for the next cool-down. */
  open(ms: number | null, now: number): void {
    this.since ??= now;
    this.openedAt = now;
    this.openUntil = now + (ms ?? this.coolDownMs);
    this.aloneUntil = now + (ms ?? this.aloneMs);
    if (ms === null) this.coolDownMs = Math.min(this.coolDownMs * 2, longestCoolDownMs);
    this.probes.clear();
    this.epoch += 1;
  }

  /**
   * What waits is overdue: from now on only probes go through, until one of them, or of those that wait, is
   * answered.
   */
  suspect(now: number): void {
    if (this.since !== null) return;
    this.openedBySilence = true;
    this.since = now;
    this.openedAt = now;
    this.openUntil = now;
    this.aloneUntil = now;
    this.epoch += 1;
  }

  private close(): void {
    this.since = null;
    this.probes.clear();
    this.openedBySilence = false;
    this.coolDownMs = firstCoolDownMs;
    this.epoch += 1;
  }
}
