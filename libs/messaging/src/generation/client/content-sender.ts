import type { Owner } from '../../memory/turns-by-owner';
import { frameTypes } from '../frame';
import type { FramePost } from '../frame-post';
import type { HopSettings } from '../hop-settings';
import type { TickClock } from '../ticker';
import type { Entry, Passage } from './passage';
import type { RequestContent } from './request-content';
import type { SendingTurns } from './sending-turns';

/** What all senders of an edge have in common. */
export interface SendingHost {
  readonly post: FramePost;
  readonly sendingTurns: SendingTurns;
  readonly settings: Pick<HopSettings, 'bodyWindowBytes' | 'bodyPieceBytes' | 'resumeMs' | 'pingMs'>;
  readonly ticker: TickClock;
}

/**
 * Sends the rest of a large request to the instance that accepted it: half a window at a time, when its turn
 * in the window of that instance comes, and a piece of that in a turn of the event loop.
 */
export class ContentSender {
  private readonly passage: Passage;
  /** The part that waits to be sent; null: none does. */
  private entry: Entry | null = null;
  private arrived: number;
  /** What may leave by now: so much from the beginning. */
  private allowed: number;
  /** The bytes under way that its passage counts. */
  private counted = 0;
  /** The tick at which something was sent or confirmed last. */
  private heardAt: number;
  /** What was sent is not confirmed in time. */
  private isLate = false;
  private isWaiting = false;
  private isHeld = false;
  private isOver = false;

  /** `ask` asks the instance how much it has, which `restart` hears. */
  constructor(
    private readonly host: SendingHost,
    private readonly owner: Owner,
    private readonly target: { subject: string; stream: number },
    readonly content: RequestContent,
    private offset: number,
    private readonly ask: () => void,
  ) {
    this.arrived = offset;
    this.allowed = offset;
    this.heardAt = host.ticker.now;
    this.passage = host.sendingTurns.passageTo(target.subject, host.settings.bodyWindowBytes);
  }

  /** It asked, and waits to hear how much has arrived. */
  get isAsking(): boolean {
    return this.isLate;
  }

  send(): void {
    if (this.entry || !this.isSending || this.allowed === this.content.length) return;
    // Instances of the release before confirm each half of this window, and not the end.
    const bytes = Math.min(this.host.settings.bodyWindowBytes / 2, this.content.length - this.allowed);
    this.entry = { bytes, open: () => this.goOn(bytes) };
    this.passage.enter(this.owner, this.entry);
  }

  /** The instance holds this many bytes by now. */
  more(arrived: number): void {
    this.arrived = Math.max(this.arrived, Math.min(arrived, this.content.length));
    this.isHeard();
    this.count();
    this.takeTurn();
    this.send();
  }

  /** The connection is lost, and what was under way with it: nothing is sent until `restart`. */
  hold(): void {
    this.isHeld = true;
    this.leave();
  }

  /** What followed these bytes was lost. */
  restart(arrived: number): void {
    this.leave();
    this.isHeld = false;
    this.arrived = Math.min(arrived, this.content.length);
    this.offset = this.arrived;
    this.allowed = this.arrived;
    this.isHeard();
    this.count();
    this.send();
  }

  /** Sends no more: the memory of the body may be another's soon. */
  stop(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.leave();
    this.host.sendingTurns.leavePassage(this.target.subject);
  }

  /**
   * What is not confirmed for so long is lost, perhaps, or was the end: it keeps nobody else from sending,
   * and the instance is asked. It is asked, too, where nothing is under way because others have the window:
   * so each side knows that the other still has the request.
   */
  tick(now: number): void {
    const { ticker, settings } = this.host;
    const isUnconfirmed = this.offset > this.arrived;
    if (this.isHeld || this.isOver || !(isUnconfirmed || this.entry)) return;
    if (now - this.heardAt <= ticker.ticks(isUnconfirmed ? settings.resumeMs : settings.pingMs)) return;
    this.heardAt = now;
    if (isUnconfirmed) {
      this.isLate = true;
      this.leave();
    }
    this.ask();
  }

  private get isSending(): boolean {
    return !this.isHeld && !this.isOver && !this.isLate;
  }

  private isHeard(): void {
    this.heardAt = this.host.ticker.now;
    this.isLate = false;
  }

  private goOn(bytes: number): void {
    this.entry = null;
    this.allowed += bytes;
    this.count();
    this.takeTurn();
    this.send();
  }

  private count(): void {
    const change = (this.isSending ? this.allowed - this.arrived : 0) - this.counted;
    if (change === 0) return;
    this.counted += change;
    this.passage.count(change);
  }

  private leave(): void {
    if (this.entry) this.passage.leave(this.owner, this.entry);
    this.entry = null;
    this.count();
  }

  private takeTurn(): void {
    if (this.isWaiting || this.room <= 0) return;
    this.isWaiting = true;
    this.host.sendingTurns.next(this.owner, () => this.sendPiece());
  }

  /** How much may be sent now, bytes. */
  private get room(): number {
    return this.isSending ? this.allowed - this.offset : 0;
  }

  private sendPiece(): void {
    this.isWaiting = false;
    const { post, settings, ticker } = this.host;
    const bytes = Math.min(this.room, settings.bodyPieceBytes, post.maxFramePayload);
    if (bytes <= 0) return;
    for (const piece of this.content.pieces(this.offset, bytes)) {
      post.send(this.target.subject, frameTypes.body, this.target.stream, this.offset, piece);
      this.offset += piece.length;
    }
    // It leaves in this turn, and the next piece in another.
    post.flush();
    this.heardAt = ticker.now;
    this.takeTurn();
  }
}
