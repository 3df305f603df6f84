import type { GatewayError, GenerationHead } from '@tollgate/contracts';
import type { ToldCost } from '@tollgate/dialects/surface';
import type { Answer } from '../generation/answer';

/**
 * Hands an answer on to its caller and gathers its bytes beside that. Only one that succeeded as a whole, and
 * is not larger than `limit` bytes, is told to `keep`.
 */
export class RecordingAnswer implements Answer {
  private pieces: Uint8Array[] | null = [];
  private gathered = 0;
  private headOfAnswer: GenerationHead | null = null;

  constructor(
    private readonly answer: Answer,
    private readonly limit: number,
    private readonly keep: (head: GenerationHead, bytes: Buffer) => void,
  ) {}

  head(head: GenerationHead): void {
    this.headOfAnswer = head;
    this.answer.head(head);
  }

  data(bytes: Uint8Array): void {
    this.gathered += bytes.length;
    if (this.gathered > this.limit) this.pieces = null;
    // A copy: the bytes lie in a larger message, which would be kept with them.
    this.pieces?.push(Uint8Array.from(bytes));
    this.answer.data(bytes);
  }

  end(cost?: ToldCost): void | Promise<void> {
    const { pieces, headOfAnswer } = this;
    if (pieces && headOfAnswer?.status === 200) this.keep(headOfAnswer, Buffer.concat(pieces, this.gathered));
    return this.answer.end(cost);
  }

  fail(error: GatewayError, headers: Record<string, string>): void {
    this.pieces = null;
    this.answer.fail(error, headers);
  }

  tick(nowMs: number): void {
    this.answer.tick(nowMs);
  }
}
