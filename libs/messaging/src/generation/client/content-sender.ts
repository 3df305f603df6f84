import type { Owner } from '../../memory/turns-by-owner';
import { frameTypes } from '../frame';
import type { FramePost } from '../frame-post';
import type { HopSettings } from '../hop-settings';
import type { RequestContent } from './request-content';
import type { SendingTurns } from './sending-turns';

/** What all senders of an edge have in common. */
export interface SendingHost {
  readonly post: FramePost;
  readonly sendingTurns: SendingTurns;
  readonly settings: Pick<HopSettings, 'bodyWindowBytes' | 'bodyPieceBytes'>;
}

/**
 * Sends the rest of a large request to the instance that accepted it, never more than a window ahead of what
 * has arrived there, and a piece in a turn of the event loop.
 */
export class ContentSender {
  private arrived: number;
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
  }

  /** The instance holds this many bytes by now. */
  more(arrived: number): void {
    this.arrived = Math.max(this.arrived, arrived);
    this.send();
  }

  /** The connection is lost, and what was under way with it: nothing is sent until `restart`. */
  hold(): void {
    this.isHeld = true;
  }

  /** What followed these bytes was lost. */
  restart(arrived: number): void {
    this.isHeld = false;
    this.arrived = arrived;
    this.offset = arrived;
    this.send();
  }

  /** Sends no more: the memory of the body may be another's soon. */
  stop(): void {
    this.isOver = true;
  }

  send(): void {
    if (this.isWaiting || this.room <= 0) return;
    this.isWaiting = true;
    this.host.sendingTurns.next(this.owner, () => this.sendPiece());
  }

  /** How much may be sent now, bytes. */
  private get room(): number {
    if (this.isHeld || this.isOver) return 0;
    const inWindow = this.host.settings.bodyWindowBytes - (this.offset - this.arrived);
    return Math.min(inWindow, this.content.length - this.offset);
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
    this.send();
  }
}
