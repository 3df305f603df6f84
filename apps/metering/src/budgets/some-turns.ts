/** Runs so many pieces of work at the same time; others wait, in the order in which they came. */
export class SomeTurns {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly most: number) {}

  /** @throws what `work` throws. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running < this.most) this.running += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The turn goes on to the next, so that nobody who comes now is before it.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
