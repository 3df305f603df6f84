import { TurnsByOwner } from '../../memory/turns-by-owner';
import type { Owner } from '../../memory/turns-by-owner';

/**
 * How much of all large requests is under way to one instance: what anybody else sends there stands behind it
 * in the sockets. Accounts go on in turns.
 */
export class Passage {
  private readonly waiting = new TurnsByOwner<() => void>();
  private underWay = 0;
  private isAdmitting = false;

  constructor(private readonly limitBytes: number) {}

  /** Calls `open` once, as soon as there is room; it counts what is to leave then. */
  enter(owner: Owner, open: () => void): void {
    this.waiting.push(owner, open);
    this.admit();
  }

  /** `open` is not called any more. */
  leave(owner: Owner, open: () => void): void {
    this.waiting.remove(owner, open);
  }

  /** So many bytes more are under way, or fewer. */
  count(bytes: number): void {
    this.underWay += bytes;
    this.admit();
  }

  private admit(): void {
    // Who is let in counts.
    if (this.isAdmitting) return;
    this.isAdmitting = true;
    try {
      while (this.underWay < this.limitBytes) {
        const open = this.waiting.take(() => 'take');
        if (!open) return;
        open();
      }
    } finally {
      this.isAdmitting = false;
    }
  }
}
