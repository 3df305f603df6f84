import { frameTypes } from '../frame';
import type { FramePost } from '../frame-post';
import type { RequestContent } from './request-content';

/**
 * Sends the rest of a large request to the instance that accepted it, never more than a window ahead of what
 * has arrived there.
 */
export class ContentSender {
  private arrived: number;

  constructor(
    private readonly post: FramePost,
    private readonly target: { subject: string; stream: number },
    private readonly content: RequestContent,
    private offset: number,
    private readonly windowBytes: number,
  ) {
    this.arrived = offset;
  }

  /** The instance holds this many bytes by now. */
  more(arrived: number): void {
    this.arrived = Math.max(this.arrived, arrived);
    this.send();
  }

  /** What followed these bytes was lost. */
  restart(arrived: number): void {
    this.arrived = arrived;
    this.offset = arrived;
    this.send();
  }

  send(): void {
    const { content, post } = this;
    while (this.offset < content.length && this.offset - this.arrived < this.windowBytes) {
      const room = Math.min(post.maxFramePayload, this.windowBytes - (this.offset - this.arrived));
      for (const piece of content.pieces(this.offset, room)) {
        post.send(this.target.subject, frameTypes.body, this.target.stream, this.offset, piece);
        this.offset += piece.length;
      }
    }
  }
}
