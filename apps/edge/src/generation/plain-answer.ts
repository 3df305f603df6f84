import type { GatewayError, GenerationHead } from '@tollgate/contracts';
import type { ToldCost } from '@tollgate/dialects/surface';
import type { Answer } from './answer';
import { answerHeaders } from './answer-headers';
import type { CallerResponse } from './caller-response';
import { costHeader, costHeaders, unconfirmedHeader } from './told-cost';

/**
 * Answers up to this size, in bytes, are sent in one piece with their length, so that a failure half-way is
 * still a plain error.
 */
const wholeUpTo = 1_048_576;

/** An answer that is no stream. */
export class PlainAnswer implements Answer {
  private readonly pieces: Uint8Array[] = [];
  private gathered = 0;
  private begun = false;
  private pendingHead: GenerationHead = { status: 200, headers: {} };

  constructor(
    private readonly response: CallerResponse,
    private readonly tellsCost = false,
  ) {}

  head(head: GenerationHead): void {
    this.pendingHead = head;
  }

  data(bytes: Uint8Array): void {
    if (this.begun) return this.response.write(bytes);
    this.pieces.push(bytes);
    this.gathered += bytes.length;
    this.response.onConsumed(bytes.length);
    if (this.gathered <= wholeUpTo) return;
    this.begin(null);
    for (const piece of this.pieces.splice(0)) this.response.writeOwn(piece);
  }

  end(cost?: ToldCost): void {
    const told = cost && costHeaders(cost);
    if (this.begun) return this.response.end(undefined, this.response.takesTrailers ? told : undefined);
    this.begin(this.gathered, told);
    const [only] = this.pieces;
    this.response.end(this.pieces.length === 1 ? only : Buffer.concat(this.pieces, this.gathered));
  }

  fail(error: GatewayError, headers: Record<string, string>): void {
    if (this.begun) this.response.abort();
    else this.response.fail(error, headers);
  }

  tick(): void {
    // A plain answer has no way to keep its connection busy.
  }

  /** `length` null: not known yet. */
  private begin(length: number | null, told?: Record<string, string>): void {
    this.begun = true;
    const headers = answerHeaders(this.pendingHead.headers);
    Object.assign(headers, told);
    if (length === null && this.tellsCost && this.response.takesTrailers)
      headers.trailer = `${costHeader}, ${unconfirmedHeader}`;
    headers['content-type'] ??= 'application/json';
    if (length !== null) headers['content-length'] = String(length);
    this.response.begin(this.pendingHead.status, headers);
  }
}
