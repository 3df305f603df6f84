import { FailureWindow } from './failure-window';

/** closed: attempts go through; open: none does; half-open: one at a time, to see whether it works again. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** The right to one attempt. What is told of it counts only while the breaker has not changed since; but a probe that is answered always does. */
export interface BreakerPermit {
  readonly epoch: number;
  readonly probe: boolean;
}

const minFailures = 5;
const failureShare = 0.5;
/** A provider that asks for more patience than this is believed at once. */
const patienceMs = 2_000;
const longestRetryAfterMs = 60_000;
const firstCoolDownMs = 5_000;
const longestCoolDownMs = 30_000;
/** A probe that says nothing for so long is taken for a failed one, until it is answered after all: a provider that came back is seen within 35 seconds. */
const probePatienceMs = 4_000;

/**
 * Keeps attempts from a deployment that fails. It opens when at least five attempts of the last ten seconds failed and they are at least half of all, or at
 * once when the provider asks for more than two seconds of patience (it gets them, a minute at most). After a cool-down of 5 s, doubled up to 30 s while it
 * goes on failing, one attempt at a time is let through; the first that is answered closes it. Times are milliseconds of a clock that never goes back.
 */
export class Breaker {
  timesOpened = 0;
  private readonly window = new FailureWindow();
  private epoch = 0;
  /** Null while it is closed. */
  private openUntil: number | null = null;
  private coolDownMs = firstCoolDownMs;
  private probe: { permit: BreakerPermit; since: number } | null = null;
  private openedBySilence = false;

  state(now: number): BreakerState {
    this.giveUpProbe(now);
    if (this.openUntil === null) return 'closed';
    return now < this.openUntil ? 'open' : 'half-open';
  }

  /** Null: not now. */
  begin(now: number): BreakerPermit | null {
    if (!this.admits(now)) return null;
    const probe = this.openUntil !== null;
    const permit = { epoch: this.epoch, probe };
    if (probe) this.probe = { permit, since: now };
    return permit;
  }

  /** Whether `begin` would give a permit. */
  admits(now: number): boolean {
    return this.waitMs(now) === 0;
  }

  /** How long until an attempt may be let through; 0: at once. */
  waitMs(now: number): number {
    this.giveUpProbe(now);
    if (this.openUntil === null) return 0;
    const probeEndsAt = this.probe ? this.probe.since + probePatienceMs : 0;
    return Math.max(0, this.openUntil - now, probeEndsAt - now);
  }

  /** The attempt was answered, or its answer has begun. */
  succeeded(permit: BreakerPermit, now: number): void {
    if (this.openUntil !== null) {
      if (permit.probe || this.openedBySilence) this.close();
    } else if (permit.epoch === this.epoch) this.window.record(false, now);
  }

  /** Attempts wait for their answers much longer than usual: opens it, until a probe or one of them is answered. */
  silent(now: number): void {
    if (this.openUntil !== null) return;
    this.openedBySilence = true;
    this.openForCoolDown(now);
  }

  /** `retryAfterMs`: how much patience a 429 or 503 asked for, null when it did not. */
  failed(permit: BreakerPermit, retryAfterMs: number | null, now: number): void {
    if (permit.epoch !== this.epoch) return;
    const probing = this.openUntil !== null;
    this.window.record(true, now);
    if (retryAfterMs !== null && retryAfterMs > patienceMs) this.open(Math.min(retryAfterMs, longestRetryAfterMs), now);
    else if (probing || this.tooManyFailures(now)) this.openForCoolDown(now);
  }

  /** The attempt says nothing of the deployment: its caller left, or it was our own fault. */
  released(permit: BreakerPermit): void {
    if (this.probe?.permit === permit) this.probe = null;
  }

  private giveUpProbe(now: number): void {
    if (!this.probe) return;
    const until = this.probe.since + probePatienceMs;
    if (now >= until) this.openForCoolDown(until);
  }

  private tooManyFailures(now: number): boolean {
    const { attempts, failures } = this.window.counts(now);
    return failures >= minFailures && failures >= attempts * failureShare;
  }

  private openForCoolDown(from: number): void {
    const { coolDownMs } = this;
    this.coolDownMs = Math.min(coolDownMs * 2, longestCoolDownMs);
    this.open(coolDownMs, from);
  }

  private open(ms: number, from: number): void {
    this.openUntil = from + ms;
    this.timesOpened += 1;
    this.probe = null;
    this.epoch += 1;
  }

  private close(): void {
    this.openUntil = null;
    this.probe = null;
    this.openedBySilence = false;
    this.coolDownMs = firstCoolDownMs;
    this.window.clear();
    this.epoch += 1;
  }
}
