import { TransientMap } from './transient';
import type { Owner } from './turns-by-owner';

/**
 * `turnBytes`: what is read for all accounts in one turn of the event loop. `leastBytes`: what one account
 * has of it at the least, however many there are.
 */
interface TurnBounds {
  readonly turnBytes: number;
  readonly leastBytes: number;
}

/** About two milliseconds of work on answers. */
const answerBounds: TurnBounds = { turnBytes: 32 * 1024, leastBytes: 8 * 1024 };
/** What a piece costs besides its bytes, as bytes. */
const pieceCost = 256;

/** What was read for one key in this turn, and what waits for the next one. */
interface KeyTurn {
  spent: number;
  readonly waiting: (() => void)[];
}

/** What was read for one account in this turn. Its keys stand in the order of their turns. */
interface AccountTurn {
  spent: number;
  readonly keys: Map<string, KeyTurn>;
}

/**
 * Who is read in a turn of the event loop. A turn that finds fifty full connections would read them all, and
 * what somebody else sends or is sent would wait for all of it. So one account is read for no more than its
 * share of a turn, and each of its keys for no more than its share of that; what is left goes on in the next
 * turns, keys in turns, and between two turns the loop takes what has come for others.
 */
export class ReadTurns {
  private readonly accounts = new TransientMap<string, AccountTurn>();
  private isScheduled = false;

  constructor(private readonly bounds = answerBounds) {}

  /**
   * Counts a piece that was read for a key. True: its account has had its share of this turn, and the key
   * its share of that; the connection is to be read no further until `resume` is called, in one of the next
   * turns.
   * While it waits it must not be counted again.
   */
  read(owner: Owner, bytes: number, resume: () => void): boolean {
    const { account, key } = this.spend(owner, pieceCost + bytes);
    if (account.spent < this.share || key.spent < this.share / account.keys.size) return false;
    key.waiting.push(resume);
    return true;
  }

  /**
   * Resolves when work for a key that costs as much as reading so many bytes may be done: in one of the next
   * turns, behind what waits for this key already.
   */
  async turn(owner: Owner, bytes: number): Promise<void> {
    const { key } = this.spend(owner, 0);
    await new Promise<void>((resolve) =>
      key.waiting.push(() => {
        this.count(owner, bytes);
        resolve();
      }),
    );
  }

  /** Counts what is about to be read for a key, or done. */
  count(owner: Owner, bytes: number): void {
    this.spend(owner, bytes);
  }

  private get share(): number {
    const { turnBytes, leastBytes } = this.bounds;
    return Math.max(leastBytes, turnBytes / this.accounts.size);
  }

  private spend({ accountId, keyId }: Owner, bytes: number): { account: AccountTurn; key: KeyTurn } {
    const account = this.accounts.get(accountId) ?? { spent: 0, keys: new Map<string, KeyTurn>() };
    const key = account.keys.get(keyId) ?? { spent: 0, waiting: [] };
    this.accounts.set(accountId, account);
    account.keys.set(keyId, key);
    account.spent += bytes;
    key.spent += bytes;
    this.schedule();
    return { account, key };
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.next());
  }

  /** Begins a turn: with a share for each account, and with those that wait. */
  private next(): void {
    this.isScheduled = false;
    for (const [accountId, account] of this.accounts) {
      account.spent = 0;
      for (const [keyId, key] of account.keys) {
        key.spent = 0;
        if (key.waiting.length === 0) account.keys.delete(keyId);
      }
      if (account.keys.size === 0) this.accounts.delete(accountId);
    }
    for (const account of [...this.accounts.values()]) this.resumeWithin(account);
    if (this.accounts.size > 0) this.schedule();
  }

  /** Each that waits now, once. What has nothing left to read costs nothing. */
  private resumeWithin(account: AccountTurn): void {
    let left = 0;
    for (const { waiting } of account.keys.values()) left += waiting.length;
    for (; left > 0 && account.spent < this.share; left--) takeNext(account)?.();
  }
}

/** What has waited longest of the key whose turn it is, which goes behind the others. */
function takeNext({ keys }: AccountTurn): (() => void) | null {
  for (const [keyId, key] of keys) {
    const resume = key.waiting.shift();
    if (!resume) continue;
    keys.delete(keyId);
    keys.set(keyId, key);
    return resume;
  }
  return null;
}
