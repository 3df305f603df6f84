import { TransientMap } from '@tollgate/messaging';

/** What is read for all keys in one turn of the event loop, bytes: about two milliseconds of work. */
const turnBytes = 32 * 1024;
/** What one key has of it at the least, however many keys there are. */
const leastShare = 8 * 1024;
/** What a piece of an answer costs besides its bytes, as bytes. */
const pieceCost = 256;

/** What one key's answers had in this turn, and those that wait for the next one. */
interface KeyTurn {
  spent: number;
  waiting: (() => void)[];
}

/**
 * Who is read in a turn of the event loop. A turn that finds fifty full connections would read them all, and
 * an answer of somebody else, of which three tokens have come, would wait for thousands of tokens first. So
 * the answers of one key are read for no more than its share of a turn; those that are left go on in the next
 * turns, one after the other, and between two turns the loop takes what has come for others.
 */
export class ReadTurns {
  private readonly keys = new TransientMap<string, KeyTurn>();
  private isScheduled = false;

  /**
   * Counts a piece that was read for a key. True: the key has had its share of this turn; the answer is to be
   * read no further until `resume` is called, in one of the next turns.
   * While it waits it must not be counted again.
   */
  read(keyId: string, bytes: number, resume: () => void): boolean {
    const key = this.of(keyId);
    key.spent += pieceCost + bytes;
    if (key.spent < this.share) return false;
    key.waiting.push(resume);
    return true;
  }

  /**
   * Resolves when work for a key that costs as much as reading so many bytes may be done: in one of the next
   * turns, behind what waits for this key already.
   */
  async turn(keyId: string, bytes: number): Promise<void> {
    const { waiting } = this.of(keyId);
    await new Promise<void>((resolve) =>
      waiting.push(() => {
        this.of(keyId).spent += bytes;
        resolve();
      }),
    );
  }

  private get share(): number {
    return Math.max(leastShare, turnBytes / this.keys.size);
  }

  private of(keyId: string): KeyTurn {
    const known = this.keys.get(keyId);
    if (known) return known;
    const key: KeyTurn = { spent: 0, waiting: [] };
    this.keys.set(keyId, key);
    this.schedule();
    return key;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.next());
  }

  /** Begins a turn: with a share for each key, and with those that wait. */
  private next(): void {
    this.isScheduled = false;
    for (const [keyId, key] of this.keys) {
      key.spent = 0;
      if (key.waiting.length === 0) this.keys.delete(keyId);
    }
    for (const key of [...this.keys.values()]) this.resumeWithin(key);
    if (this.keys.size > 0) this.schedule();
  }

  /** An answer that has nothing left to read costs nothing. */
  private resumeWithin(key: KeyTurn): void {
    for (let left = key.waiting.length; left > 0 && key.spent < this.share; left--) key.waiting.shift()?.();
  }
}
