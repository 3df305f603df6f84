import { toWireRequest } from '@tollgate/contracts/inference';
import type { GenerationRequest } from '@tollgate/contracts/inference';
import { envelopeOverhead, encodeEnvelope } from '../request-envelope';

/**
 * What is sent of a generation: the request as JSON, then the caller's body, as one run of bytes that is
 * never copied into one.
 */
export class RequestContent {
  private readonly request: Buffer;
  readonly length: number;
  /** How much of the beginning says whose request it is. */
  readonly requestBytes: number;

  constructor(
    request: GenerationRequest,
    private readonly body: Uint8Array,
  ) {
    this.request = Buffer.from(JSON.stringify(toWireRequest(request)));
    this.requestBytes = this.request.length;
    this.length = this.request.length + body.length;
  }

  /** Up to `length` bytes from `offset`, as one or two views. */
  pieces(offset: number, length: number): Uint8Array[] {
    const end = Math.min(offset + length, this.length);
    const head = this.request.subarray(offset, end);
    const bodyStart = Math.max(offset - this.request.length, 0);
    const body = this.body.subarray(bodyStart, Math.max(end - this.request.length, bodyStart));
    return [head, body].filter((piece) => piece.length > 0);
  }

  /**
   * The request's message, of at most `maxPayload` bytes: with the whole content where that fits and
   * `isWhole` wants it, and else with no more than tells whose it is.
   */
  envelope(from: { edge: string; stream: number; window: number }, maxPayload: number, isWhole: boolean): Buffer {
    const room = maxPayload - envelopeOverhead(from.edge);
    const part = isWhole && this.length <= room ? this.length : Math.min(this.requestBytes, room);
    return encodeEnvelope(
      {
        edge: from.edge,
        stream: from.stream,
        window: from.window,
        sentAt: Date.now(),
        requestBytes: this.requestBytes,
        contentBytes: this.length,
      },
      this.pieces(0, part),
    );
  }
}
