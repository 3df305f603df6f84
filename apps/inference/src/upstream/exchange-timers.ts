import type { TimeLimits } from '@tollgate/contracts';
import type { UpstreamFaultCode } from './upstream-fault';

/**
 * The time limits of one exchange: one timer for the phase it is in (connect, first byte, idle) and one for the whole.
 * The first-byte limit holds once until the head and once more from there to the first bytes of the body, because
 * providers that think for long send the head early.
 */
export class ExchangeTimers {
  private phase: NodeJS.Timeout | undefined;
  private readonly total: NodeJS.Timeout;
  private flowing = false;

  constructor(
    private readonly timeouts: Required<TimeLimits>,
    totalMs: number,
    private readonly onTimeout: (code: UpstreamFaultCode) => void,
  ) {
    this.total = setTimeout(onTimeout, totalMs, 'total_timeout');
  }

  /** The request waits for a connection, or for what it needs to ask for one. */
  connecting(): void {
    clearTimeout(this.phase);
    this.phase = setTimeout(this.onTimeout, this.timeouts.connectMs, 'connect_timeout');
  }

  /** The request goes out. */
  sent(): void {
    clearTimeout(this.phase);
    this.phase = setTimeout(this.onTimeout, this.timeouts.firstByteMs, 'first_byte_timeout');
  }

  headArrived(): void {
    this.phase?.refresh();
  }

  bytesArrived(): void {
    if (this.flowing) this.phase?.refresh();
    else this.idle();
  }

  /** The exchange was paused by us: silence is not the provider's fault. */
  pause(): void {
    clearTimeout(this.phase);
    this.phase = undefined;
  }

  resume(): void {
    if (!this.phase) this.idle();
  }

  stop(): void {
    clearTimeout(this.phase);
    clearTimeout(this.total);
  }

  private idle(): void {
    this.flowing = true;
    clearTimeout(this.phase);
    this.phase = setTimeout(this.onTimeout, this.timeouts.idleMs, 'idle_timeout');
  }
}
