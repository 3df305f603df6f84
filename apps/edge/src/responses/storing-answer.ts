import type { GatewayError, GenerationHead } from '@tollgate/contracts';
import { isRecord, type SurfaceDialect } from '@tollgate/dialects/surface';
import type { Answer } from '../generation/answer';
import { ClosingEvent } from '../generation/closing-event';

/** Ends at no other line break than those of a stream: JSON may hold U+2028 as it is. */
const dataLine = /(?:^|\n)data: ?([^\r\n]*)/;
const notStored = Buffer.from(': tollgate: this response was not stored\n\n');

/** What an answer that is to be kept works with. */
interface StoringParts {
  readonly answer: Answer;
  /** Null: it is no stream. */
  readonly stream: SurfaceDialect | null;
  /** A larger answer is not kept, bytes. */
  readonly mostBytes: number;
  /** Bytes were taken that the caller gets later. */
  onConsumed(bytes: number): void;
  /** Keeps a response, which may have no more than this form; false: it could not be kept. Never rejects. */
  keep(response: Record<string, unknown>): Promise<boolean>;
  /** It was kept, or could not be: its end is told next. */
  readonly onKept: (isKept: boolean) => void;
}

/** Hands an answer on to its caller, but for its end, which waits until the response is kept: so who has it whole can go on from it. */
export class StoringAnswer implements Answer {
  private readonly closing: ClosingEvent | null;
  private pieces: Uint8Array[] = [];
  private gathered = 0;
  private status = 200;

  constructor(private readonly parts: StoringParts) {
    this.closing = parts.stream && new ClosingEvent(parts.stream);
  }

  head(head: GenerationHead): void {
    this.status = head.status;
    this.parts.answer.head(head);
  }

  data(bytes: Uint8Array): void {
    const { answer } = this.parts;
    if (!this.closing) {
      this.gather(bytes);
      return answer.data(bytes);
    }
    answer.data(this.closing.push(bytes));
    const waiting = this.closing.waited();
    if (waiting > 0) this.parts.onConsumed(waiting);
  }

  async end(cost?: string): Promise<void> {
    const { answer, onKept } = this.parts;
    const rest = this.closing?.rest() ?? null;
    const isKept = this.status !== 200 || (await this.kept(rest));
    if (this.status === 200) onKept(isKept);
    if (rest) answer.data(isKept ? rest : Buffer.concat([notStored, rest]));
    await answer.end(cost);
  }

  fail(error: GatewayError, headers: Record<string, string>): void {
    const undecided = this.closing?.undecided() ?? '';
    if (undecided !== '') this.parts.answer.data(Buffer.from(undecided, 'latin1'));
    this.pieces = [];
    this.parts.answer.fail(error, headers);
  }

  tick(nowMs: number): void {
    this.parts.answer.tick(nowMs);
  }

  private gather(bytes: Uint8Array): void {
    this.gathered += bytes.length;
    if (this.gathered > this.parts.mostBytes) this.pieces = [];
    // A copy: the bytes lie in a larger message, which would be kept with them.
    else this.pieces.push(Uint8Array.from(bytes));
  }

  private async kept(rest: Uint8Array | null): Promise<boolean> {
    const text = rest ? dataLine.exec(Buffer.from(rest).toString('utf8'))?.[1] : Buffer.concat(this.pieces).toString();
    this.pieces = [];
    if ((rest?.length ?? this.gathered) > this.parts.mostBytes) return false;
    const response = responseIn(text ?? '', rest !== null);
    return response ? this.parts.keep(response) : false;
  }
}

/** The response in a document, or in the event that closes a stream. Null: it failed, or cannot be read. */
function responseIn(text: string, isEvent: boolean): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const response = isEvent && isRecord(value) ? value.response : value;
    if (!isRecord(response) || (response.status !== 'completed' && response.status !== 'incomplete')) return null;
    return response;
  } catch {
    return null;
  }
}
