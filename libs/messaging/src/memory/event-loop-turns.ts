interface Waiting {
  readonly run: () => void;
  readonly work: number;
}

/** Does so much in a turn of the event loop, in the order in which it came; the rest in the next ones. */
export class EventLoopTurns {
  private readonly waiting: Waiting[] = [];
  private waitingWork = 0;
  private done = 0;
  private isScheduled = false;

  /** `most`: work of one turn. `share`: of more that waits, such a share is done in a turn. */
  constructor(
    private readonly most: number,
    private readonly share = 0,
  ) {}

  /** Calls `run` once: at once while there is room in this turn. `work`: how much of a turn it takes. */
  soon(run: () => void, work = 1): void {
    if (this.done >= this.most) return this.next(run, work);
    this.schedule();
    this.done += work;
    run();
  }

  /** Calls `run` once, in one of the next turns. */
  next(run: () => void, work = 1): void {
    this.schedule();
    this.waiting.push({ run, work });
    this.waitingWork += work;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.turn());
  }

  private turn(): void {
    this.isScheduled = false;
    const next = this.takeSome();
    this.waitingWork -= this.done;
    if (next.length > 0) this.schedule();
    for (const { run } of next) run();
  }

  private takeSome(): Waiting[] {
    const most = Math.max(this.most, this.waitingWork * this.share);
    this.done = 0;
    let count = 0;
    for (const { work } of this.waiting) {
      if (this.done >= most) break;
      this.done += work;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }
}
