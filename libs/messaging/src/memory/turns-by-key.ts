/** What becomes of whoever is next: it is taken, its key's turn is passed over, or nobody is taken now. */
export type Turn = 'take' | 'pass' | 'wait';

/**
 * Those who wait, in turns of their keys: each key's first one before anybody's second, so that a key that
 * sends most gets no more than others.
 */
export class TurnsByKey<Item> {
  /** In the order of their turns. */
  private readonly queues = new Map<string, Item[]>();

  push(keyId: string, item: Item): void {
    const queue = this.queues.get(keyId);
    if (queue) queue.push(item);
    else this.queues.set(keyId, [item]);
  }

  remove(keyId: string, item: Item): void {
    const left = this.queues.get(keyId)?.filter((other) => other !== item) ?? [];
    if (left.length > 0) this.queues.set(keyId, left);
    else this.queues.delete(keyId);
  }

  /** Takes the first one out that may be; null: none may. */
  take(turnOf: (keyId: string, item: Item) => Turn): Item | null {
    for (const [keyId, queue] of this.queues) {
      const [item, ...rest] = queue;
      if (item === undefined) continue;
      const turn = turnOf(keyId, item);
      if (turn === 'wait') return null;
      if (turn === 'pass') continue;
      this.queues.delete(keyId);
      if (rest.length > 0) this.queues.set(keyId, rest);
      return item;
    }
    return null;
  }
}
