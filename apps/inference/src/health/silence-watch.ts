import { TransientMap } from '@tollgate/messaging';
import type { Caller, Scope } from './caller-window';

/** So many requests must be overdue; fewer may be hard ones. */
const minOverdue = 5;
/** Before so many answers it is not known what is usual. */
const minAnswers = 10;
const shortestPatienceMs = 5_000;
/** How much longer than usual a silence must last. */
const unusual = 10;
/** So many times as large as usual is what a request may be before its size explains that it takes long. */
const huge = 10;

interface Waiting {
  readonly since: number;
  readonly bytes: number;
  readonly caller: Caller;
}

/**
 * Sees that a deployment has fallen silent long before its time limits do: at least five streams wait for ten
 * times as long as its streams usually take to begin (five seconds at least; a body that is larger than usual
 * has as much more time), and nothing was heard of it meanwhile. Times are milliseconds of a clock that never
 * goes back.
 */
export class SilenceWatch {
  private usualMs = 0;
  private usualBytes = 0;
  private answers = 0;
  private heardAt = Number.NEGATIVE_INFINITY;
  /** The streams that wait, the oldest first. */
  private readonly waiting = new TransientMap<object, Waiting>();

  began(attempt: object, caller: Caller, bytes: number, now: number): void {
    this.waiting.set(attempt, { since: now, bytes, caller });
  }

  /** A sign of life: a head, a comment, any byte of any answer. */
  heard(now: number): void {
    this.heardAt = now;
  }

  /** The stream has begun to answer. */
  answered(attempt: object, now: number): void {
    const known = this.waiting.get(attempt);
    this.heardAt = now;
    if (!known) return;
    this.waiting.delete(attempt);
    this.answers += 1;
    const weight = 1 / Math.min(this.answers, minAnswers);
    this.usualMs += (now - known.since - this.usualMs) * weight;
    this.usualBytes += (known.bytes - this.usualBytes) * weight;
  }

  /** The stream ended; its answer had begun or not. */
  ended(attempt: object): void {
    this.waiting.delete(attempt);
  }

  /** What waits by now was drawn conclusions from; only what begins later counts. */
  forgetWaiting(): void {
    this.waiting.clear();
  }

  /** Whether the size of a request explains that it was waited for so long in vain. */
  explains(bytes: number, waitedMs: number): boolean {
    const weight = this.weightOf(bytes);
    return this.answers >= minAnswers && weight > huge && waitedMs < this.patienceMs * weight;
  }

  /** To whom it is silent: one of the callers, and how far that goes. Null: to nobody. */
  silentTo(now: number): { caller: Caller; scope: Scope } | null {
    if (this.waiting.size < minOverdue || this.answers < minAnswers) return null;
    const { patienceMs } = this;
    if (now - this.heardAt < patienceMs) return null;
    const overdue: Caller[] = [];
    for (const { since, bytes, caller } of this.waiting.values()) {
      if (now - since < patienceMs) break;
      if (now - since >= patienceMs * this.weightOf(bytes)) overdue.push(caller);
    }
    const [caller] = overdue;
    if (!caller || overdue.length < minOverdue) return null;
    if (overdue.some(({ account }) => account !== caller.account)) return { caller, scope: 'all' };
    return { caller, scope: overdue.some(({ key }) => key !== caller.key) ? 'account' : 'key' };
  }

  private get patienceMs(): number {
    return Math.max(shortestPatienceMs, this.usualMs * unusual);
  }

  /** How many times as large as usual a request is, at least 1. */
  private weightOf(bytes: number): number {
    return Math.max(1, bytes / Math.max(1, this.usualBytes));
  }
}
