import type { HopSettings } from '../hop-settings';
import { AcceptTimer } from './asking';

/** Gets back what a stream misses: asks for it again and again, until it comes or that takes too long. */
export class Resumption {
  private readonly again = new AcceptTimer();
  private readonly limit = new AcceptTimer();
  private on = false;

  /**
   * `ask` asks once. `giveUp` hears, at most once for each `hold` or `begin`, that nothing came for
   * `resumeMs`.
   */
  constructor(
    private readonly settings: HopSettings,
    private readonly ask: () => void,
    private readonly giveUp: () => void,
  ) {}

  get isOn(): boolean {
    return this.on;
  }

  /** There is no connection to ask on; the time runs from now. */
  hold(): void {
    this.again.stop();
    if (this.on) return;
    this.on = true;
    this.limit.start(this.settings.resumeMs, () => {
      this.stop();
      this.giveUp();
    });
  }

  /** Asks now, and from now on. */
  begin(): void {
    this.hold();
    this.ask();
    this.again.start(this.settings.resumeEveryMs, () => this.begin());
  }

  stop(): void {
    this.on = false;
    this.again.stop();
    this.limit.stop();
  }
}
