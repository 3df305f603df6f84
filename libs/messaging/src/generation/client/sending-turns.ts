import { TurnsByOwner } from '../../memory/turns-by-owner';
import type { Owner } from '../../memory/turns-by-owner';
import { TransientMap } from '../../memory/transient';
import { Passage } from './passage';

/**
 * Who sends a piece of a large request in a turn of the event loop: one at a time, accounts in turns. A piece
 * is copied twice on its way to the socket, into memory that the system gives for the first time, so that
 * what all of them may send at once would keep everybody else for as long.
 */
export class SendingTurns {
  private readonly waiting = new TurnsByOwner<() => void>();
  /** By subject, as long as somebody sends there. */
  private readonly passages = new TransientMap<string, { passage: Passage; users: number }>();
  private isTaken = false;

  /** What all who send to this subject share, until each of them has left it. */
  passageTo(subject: string, limitBytes: number): Passage {
    const used = this.passages.get(subject) ?? { passage: new Passage(limitBytes), users: 0 };
    used.users++;
    this.passages.set(subject, used);
    return used.passage;
  }

  leavePassage(subject: string): void {
    const used = this.passages.get(subject);
    if (used && --used.users === 0) this.passages.delete(subject);
  }

  /** Calls `send` once: at once where nobody sent in this turn, or in one of the next. */
  next(owner: Owner, send: () => void): void {
    this.waiting.push(owner, send);
    if (!this.isTaken) this.turn();
  }

  private turn(): void {
    const send = this.waiting.take(() => 'take');
    this.isTaken = send !== null;
    if (!send) return;
    setImmediate(() => this.turn());
    send();
  }
}
