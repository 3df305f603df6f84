import type { Owner } from '../../memory/turns-by-owner';
import { frameTypes } from '../frame';
import type { FramePost } from '../frame-post';
import type { HopSettings } from '../hop-settings';
import type { Passage } from './passage';
import type { RequestContent } from './request-content';
import type { SendingTurns } from './sending-turns';

/** What all senders of an edge have in common. */
export interface SendingHost {
  readonly post: FramePost;
  readonly sendingTurns: SendingTurns;
  readonly settings: Pick<HopSettings, 'bodyWindowBytes' | 'bodyPieceBytes'>;
}

/**
 * Sends the rest of a large request to the instance that accepted it: half a window at a time, when its turn
 * in the window of that instance comes, and a piece of that in a turn of the event loop.
 */
export class ContentSender {
  private readonly passage: Passage;
  private readonly open = (): void => this.goOn();
  private arrived: number;
  /** What may leave by now: so much from the beginning. */
  private allowed: number;
  /** The part of what is under way that its passage counts. */
  private counted = 0;
  private isEntering = false;
  private isWaiting = false;
  private isHeld = false;
  private isOver = false;

  constructor(
    private readonly host: SendingHost,
    private readonly owner: Owner,
    private readonly target: { subject: string; stream: number },
    readonly content: RequestContent,
    private offset: number,
  ) {
    this.arrived = offset;
    this.allowed = offset;
    this.passage = host.sendingTurns.passageTo(target.subject, host.settings.bodyWindowBytes);
  }

  send(): void {
    if (this.isEntering || this.isHeld || this.isOver || this.allowed === this.content.length) return;
    this.isEntering = true;
    this.passage.enter(this.owner, this.open);
  }

  /** The instance holds this many bytes by now. */
  more(arrived: number): void {
    this.arrived = Math.max(this.arrived, arrived);
    this.count();
  }

  /** The connection is lost, and what was under way with it: nothing is sent until `restart`. */
  hold(): void {
    this.isHeld = true;
    this.leave();
  }

  /** What followed these bytes was lost. */
  restart(arrived: number): void {
    this.isHeld = false;
    this.arrived = arrived;
    this.offset = arrived;
    this.allowed = arrived;
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

  /** How much leaves at once: what instances of every version confirm at the latest, bytes. */
  private get stepBytes(): number {
    return this.host.settings.bodyWindowBytes / 2;
  }

  private goOn(): void {
    this.isEntering = false;
    this.allowed = Math.min(this.allowed + this.stepBytes, this.content.length);
    this.count();
    this.takeTurn();
    this.send();
  }

  /** Whole steps count: what is less, the end too, may never be confirmed. */
  private count(): void {
    const isUnderWay = !this.isHeld && !this.isOver;
    const steps = isUnderWay ? Math.floor(Math.max(0, this.allowed - this.arrived) / this.stepBytes) : 0;
    const change = steps * this.stepBytes - this.counted;
    if (change === 0) return;
    this.counted += change;
    this.passage.count(change);
  }

  private leave(): void {
    this.isEntering = false;
    this.passage.leave(this.owner, this.open);
    this.count();
  }

  private takeTurn(): void {
    if (this.isWaiting || this.room === 0) return;
    this.isWaiting = true;
    this.host.sendingTurns.next(this.owner, () => this.sendPiece());
  }

  /** How much may be sent now, bytes. */
  private get room(): number {
    return this.isHeld || this.isOver ? 0 : this.allowed - this.offset;
  }

  private sendPiece(): void {
    this.isWaiting = false;
    const { post, settings } = this.host;
    const bytes = Math.min(this.room, settings.bodyPieceBytes, post.maxFramePayload);
    if (bytes <= 0) return;
    for (const piece of this.content.pieces(this.offset, bytes)) {
      post.send(this.target.subject, frameTypes.body, this.target.stream, this.offset, piece);
      this.offset += piece.length;
    }
    // It leaves in this turn, and the next piece in another.
    post.flush();
    this.takeTurn();
  }
}
