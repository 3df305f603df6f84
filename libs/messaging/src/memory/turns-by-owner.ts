/** Whose something is: a key's, and its account's. */
export interface Owner {
  readonly keyId: string;
  readonly accountId: string;
}

/** What becomes of whoever is next: it is taken, its key's turn is passed over, or nobody is taken now. */
export type Turn = 'take' | 'pass' | 'wait';

/**
 * Those who wait, in turns of their accounts, and within each in turns of its keys: each account's first one
 * before anybody's second, so that who sends most gets no more than others, nor who has most keys.
 */
export class TurnsByOwner<Item> {
  /** By account and key, both in the order of their turns. */
  private readonly accounts = new Map<string, Map<string, Item[]>>();

  push({ accountId, keyId }: Owner, item: Item): void {
    const keys = this.accounts.get(accountId) ?? new Map<string, Item[]>();
    this.accounts.set(accountId, keys);
    const queue = keys.get(keyId);
    if (queue) queue.push(item);
    else keys.set(keyId, [item]);
  }

  remove({ accountId, keyId }: Owner, item: Item): void {
    const keys = this.accounts.get(accountId);
    if (!keys) return;
    const left = keys.get(keyId)?.filter((other) => other !== item) ?? [];
    if (left.length > 0) keys.set(keyId, left);
    else keys.delete(keyId);
    if (keys.size === 0) this.accounts.delete(accountId);
  }

  /** Takes the first one out that may be; null: none may. */
  take(turnOf: (item: Item) => Turn): Item | null {
    for (const [accountId, keys] of this.accounts)
      for (const [keyId, [item, ...rest]] of keys) {
        if (item === undefined) continue;
        const turn = turnOf(item);
        if (turn === 'wait') return null;
        if (turn === 'pass') continue;
        // Both go behind all others.
        keys.delete(keyId);
        if (rest.length > 0) keys.set(keyId, rest);
        this.accounts.delete(accountId);
        if (keys.size > 0) this.accounts.set(accountId, keys);
        return item;
      }
    return null;
  }
}
