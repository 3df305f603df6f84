import { TransientSet } from './transient';

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
 *
 * No look and no leaving costs more the more of one key wait: it is looked whose turn it is whenever memory
 * is given back, by anybody, and thousands that came together are refused together.
 */
export class TurnsByOwner<Item> {
  /** By account and key, both in the order of their turns. */
  private readonly accounts = new Map<string, Map<string, TransientSet<Item>>>();

  /** `item` does not wait here yet. */
  push({ accountId, keyId }: Owner, item: Item): void {
    const keys = this.accounts.get(accountId) ?? new Map<string, TransientSet<Item>>();
    const queue = keys.get(keyId) ?? new TransientSet<Item>();
    this.accounts.set(accountId, keys);
    keys.set(keyId, queue);
    queue.add(item);
  }

  remove({ accountId, keyId }: Owner, item: Item): void {
    const keys = this.accounts.get(accountId);
    const queue = keys?.get(keyId);
    if (!keys || !queue) return;
    queue.delete(item);
    if (queue.size === 0) keys.delete(keyId);
    if (keys.size === 0) this.accounts.delete(accountId);
  }

  /** Takes the first one out that may be; null: none may. */
  take(turnOf: (item: Item) => Turn): Item | null {
    for (const [accountId, keys] of this.accounts)
      for (const [keyId, queue] of keys) {
        const [item] = queue;
        if (item === undefined) continue;
        const turn = turnOf(item);
        if (turn === 'wait') return null;
        if (turn === 'pass') continue;
        queue.delete(item);
        // Both go behind all others.
        keys.delete(keyId);
        if (queue.size > 0) keys.set(keyId, queue);
        this.accounts.delete(accountId);
        if (keys.size > 0) this.accounts.set(accountId, keys);
        return item;
      }
    return null;
  }
}
