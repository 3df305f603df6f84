/**
 * Waits for an instance to accept. A stall of this process does not count: what has arrived meanwhile is read
 * before the time is up. It keeps no process alive.
 */
export class AcceptTimer {
  private timer: NodeJS.Timeout | null = null;

  /** Runs `otherwise` after `ms`, unless stopped or started anew before. */
  start(ms: number, otherwise: () => void): void {
    this.stop();
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (this.timer === timer) otherwise();
      });
    }, ms).unref();
    this.timer = timer;
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
