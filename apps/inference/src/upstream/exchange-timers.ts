import type { TimeLimits } from '@tollgate/contracts/catalog';
import type { UpstreamFaultCode } from './upstream-fault';

/**
 * Timers of one length share a list in Node, and each other length is a list more: a long one goes off up to
 * so much early, milliseconds, and is set again.
 */
const coarseMs = 1_000;

/**
 * The time limits of one exchange: that of the phase it is in (connect, first byte, idle) and that of the
 * whole.
 * The first-byte limit holds once until the head and once more from there to the first bytes of the body,
 * because providers that think for long send the head early.
 *
 * One timer stands for all of them, and what comes only notes its moment: a timer that goes off too early
 * looks for how long it has to wait yet.
 */
export class ExchangeTimers {
  private timer: NodeJS.Timeout | undefined;
  /**
   * When the timer goes off at the latest. This moment and the next ones are of this process's steady clock,
   * milliseconds.
   */
  private armedFor = Number.POSITIVE_INFINITY;
  private readonly totalDue: number;
  /** What it is when the limit of the phase has passed; null: none runs. */
  private phase: UpstreamFaultCode | null = null;
  private phaseMs = 0;
  private phaseSince = 0;
  private flowing = false;

  constructor(
    private readonly timeouts: Required<TimeLimits>,
    totalMs: number,
    private readonly onTimeout: (code: UpstreamFaultCode) => void,
  ) {
    this.totalDue = performance.now() + totalMs;
  }

  /** The request waits for a connection, or for what it needs to ask for one. */
  connecting(): void {
    this.begin('connect_timeout', this.timeouts.connectMs);
  }

  /** The request goes out. */
  sent(): void {
    this.begin('first_byte_timeout', this.timeouts.firstByteMs);
  }

  headArrived(): void {
    this.phaseSince = performance.now();
  }

  bytesArrived(): void {
    if (this.flowing) this.phaseSince = performance.now();
    else this.idle();
  }

  /** The exchange was paused by us: silence is not the provider's fault. */
  pause(): void {
    this.phase = null;
  }

  resume(): void {
    if (this.phase === null) this.idle();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private idle(): void {
    this.flowing = true;
    this.begin('idle_timeout', this.timeouts.idleMs);
  }

  private begin(phase: UpstreamFaultCode, ms: number): void {
    const now = performance.now();
    this.phase = phase;
    this.phaseMs = ms;
    this.phaseSince = now;
    this.arm(now);
  }

  private get phaseDue(): number {
    return this.phase === null ? Number.POSITIVE_INFINITY : this.phaseSince + this.phaseMs;
  }

  /** Sets the timer, unless it goes off in time. */
  private arm(now: number): void {
    const due = Math.min(this.phaseDue, this.totalDue);
    if (this.timer && this.armedFor <= due) return;
    clearTimeout(this.timer);
    const leftMs = Math.max(1, Math.ceil(due - now));
    const ms = leftMs > 2 * coarseMs ? leftMs - (leftMs % coarseMs) : leftMs;
    this.armedFor = now + ms;
    this.timer = setTimeout(() => this.look(), ms);
  }

  private look(): void {
    const now = performance.now();
    this.timer = undefined;
    const { phase, phaseDue } = this;
    if (this.totalDue <= Math.min(now, phaseDue)) this.onTimeout('total_timeout');
    else if (phase !== null && phaseDue <= now) this.onTimeout(phase);
    else this.arm(now);
  }
}
