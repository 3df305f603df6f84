import type { GatewayError } from '@tollgate/contracts';
import type { GenerationHead } from '@tollgate/contracts/inference';
import type { SurfaceDialect, ToldCost } from '@tollgate/dialects/surface';
import type { Answer } from '../generation/answer';
import { ClosingEvent } from '../generation/closing-event';
import { joinedInTurns } from '../generation/in-turns';

const notStored = Buffer.from(': tollgate: this response was not stored\n\n');

/** What an answer that is to be kept works with. */
interface StoringParts {
  readonly answer: Answer;
  /** Null: it is no stream. */
  readonly stream: SurfaceDialect | null;
  /** A larger answer is not kept, bytes. */
  readonly mostBytes: number;
  /** Takes memory for so many bytes until the request is over; false: there is none, and it is not kept. */
  takeRoom(bytes: number): boolean;
  /** Bytes were taken that the caller gets later. */
  onConsumed(bytes: number): void;
  /**
   * Keeps the response in these pieces of JSON, of a document or (`isEvent`) of the event that closed a
   * stream; false: it could not be kept, or there is none. Never rejects.
   */
  keep(pieces: readonly Uint8Array[], isEvent: boolean): Promise<boolean>;
  /** It was kept, or could not be: its end is told next. */
  readonly onKept: (isKept: boolean) => void;
}

/**
 * Hands an answer on to its caller, but for its end, which waits until the response is kept: so who has it
 * whole can go on from it.
 */
export class StoringAnswer implements Answer {
  private readonly closing: ClosingEvent | null;
  /** Null: it is too large to be kept, or there was no memory for it. */
  private pieces: Uint8Array[] | null = [];
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

  async end(cost?: ToldCost): Promise<void> {
    const { answer, onKept } = this.parts;
    const rest = this.closing && (await joinedInTurns(this.closing.rest()));
    const isKept = this.status !== 200 || (await this.kept(rest));
    if (this.status === 200) onKept(isKept);
    if (rest && !isKept) answer.data(notStored);
    if (rest) answer.data(rest);
    await answer.end(cost);
  }

  fail(error: GatewayError, headers: Record<string, string>): void {
    const undecided = this.closing?.undecided() ?? '';
    if (undecided !== '') this.parts.answer.data(Buffer.from(undecided, 'latin1'));
    this.pieces = null;
    this.parts.answer.fail(error, headers);
  }

  tick(nowMs: number): void {
    this.parts.answer.tick(nowMs);
  }

  private gather(bytes: Uint8Array): void {
    if (!this.pieces) return;
    this.gathered += bytes.length;
    // A copy: the bytes lie in a larger message, which would be kept with them.
    if (this.gathered <= this.parts.mostBytes && this.parts.takeRoom(bytes.length))
      this.pieces.push(Uint8Array.from(bytes));
    else this.pieces = null;
  }

  private async kept(rest: Uint8Array | null): Promise<boolean> {
    if (!this.pieces || (rest && rest.length > this.parts.mostBytes)) return false;
    const pieces = rest ? [dataOf(rest)] : this.pieces;
    this.pieces = null;
    return this.parts.keep(pieces, rest !== null);
  }
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/** The data of an event, which is one line: JSON holds no line break of a stream. Empty: it has none. */
function dataOf(event: Uint8Array): Uint8Array {
  const bytes = Buffer.from(event.buffer, event.byteOffset, event.byteLength);
  const name = 'data:';
  const at = bytes.indexOf(name) === 0 ? 0 : bytes.indexOf(`\n${name}`) + 1;
  if (at === 0 && bytes.indexOf(name) !== 0) return bytes.subarray(0, 0);
  const start = at + name.length + (bytes[at + name.length] === space ? 1 : 0);
  const lineEnd = bytes.indexOf(newline, start);
  const end = lineEnd < 0 ? bytes.length : lineEnd;
  return bytes.subarray(start, bytes[end - 1] === carriageReturn ? end - 1 : end);
}
