/** Who waits while work is done has it done next, together with all others who wait. */
export class GatheredWork<Item> {
  private last: Promise<unknown> = Promise.resolve();
  private next: { readonly items: Item[]; readonly failures: Promise<ReadonlyMap<Item, unknown>> } | null = null;

  constructor(private readonly work: (items: readonly Item[]) => Promise<void>) {}

  /** @throws what `work` throws of the item alone. */
  async run(item: Item): Promise<void> {
    const { items, failures } = (this.next ??= this.begin());
    items.push(item);
    const failed = await failures;
    if (failed.has(item)) throw failed.get(item);
  }

  private begin(): NonNullable<typeof this.next> {
    const items: Item[] = [];
    const failures = this.last.then(() => {
      this.next = null;
      return this.failuresOf(items);
    });
    this.last = failures;
    return { items, failures };
  }

  /** What one fails by, others do not: then each is done by itself. */
  private async failuresOf(items: readonly Item[]): Promise<ReadonlyMap<Item, unknown>> {
    try {
      await this.work(items);
      return new Map();
    } catch (error) {
      const [only, ...others] = items;
      if (only === undefined || others.length === 0) return new Map(items.map((item) => [item, error]));
    }
    const failures = new Map<Item, unknown>();
    for (const item of items) await this.work([item]).catch((error: unknown) => failures.set(item, error));
    return failures;
  }
}
