interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Who waits while work is done has it done next, together with others who wait, in the order of arrival. */
export class GatheredWork<Item> {
  private readonly waiting: Waiting<Item>[] = [];
  private isBusy = false;

  /**
   * `most`: so many items are done together. `isOfAll`: an error that is not of an item, by which all of them
   * fail at once; by another one fails alone for whom it is thrown again.
   */
  constructor(
    private readonly most: number,
    private readonly work: (items: readonly Item[]) => Promise<void>,
    private readonly isOfAll: (error: unknown) => boolean,
  ) {}

  /** @throws what `work` throws of the item. */
  run(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      void this.begin();
    });
  }

  private async begin(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting.length > 0) await this.finish(this.waiting.splice(0, this.most));
    this.isBusy = false;
  }

  private async finish(some: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.work(some.map(({ item }) => item));
      for (const { resolve } of some) resolve();
    } catch (error) {
      if (some.length > 1 && !this.isOfAll(error)) for (const one of some) await this.finish([one]);
      else for (const { reject } of some) reject(error);
    }
  }
}
