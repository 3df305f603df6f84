import { TurnsByOwner } from '../../memory/turns-by-owner';
import type { Owner } from '../../memory/turns-by-owner';

/** Who waits to send so many bytes. */
export interface Entry {
  readonly bytes: number;
  /** It may: it counts them, and asks for its next ones. */
  readonly open: () => void;
}

/**
 * How much of all large requests is under way to one instance: what anybody else sends there stands behind it
 * in the sockets. Accounts go on in turns.
 */
export class Passage {
  private readonly waiting = new TurnsByOwner<Entry>();
  private underWay = 0;
  private isAdmitting = false;

  constructor(private readonly limitBytes: number) {}

  /** Opens it once, as soon as there is room, which there is for any when nothing is under way. */
  enter(owner: Owner, entry: Entry): void {
    this.waiting.push(owner, entry);
    this.admit();
  }

  /** It is not opened any more. */
  leave(owner: Owner, entry: Entry): void {
    this.waiting.remove(owner, entry);
  }

  /** So many bytes more are under way, or fewer. */
  count(bytes: number): void {
    this.underWay += bytes;
    this.admit();
  }

  private admit(): void {
    // Who is let in counts, and asks anew.
    if (this.isAdmitting) return;
    this.isAdmitting = true;
    try {
      for (let entry = this.next(); entry; entry = this.next()) entry.open();
    } finally {
      this.isAdmitting = false;
    }
  }

  private next(): Entry | null {
    const { underWay, limitBytes } = this;
    return this.waiting.take(({ bytes }) => (underWay === 0 || underWay + bytes <= limitBytes ? 'take' : 'wait'));
  }
}
