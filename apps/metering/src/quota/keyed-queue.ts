/** Runs work one after another for each key, and at the same time for different keys. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const previous = this.tails.get(key) ?? Promise.resolve();
    // What came before may have failed: that is its caller's business.
    const result = previous.then(work, work);
    this.tails.set(key, result);
    try {
      return await result;
    } finally {
      if (this.tails.get(key) === result) this.tails.delete(key);
    }
  }
}
