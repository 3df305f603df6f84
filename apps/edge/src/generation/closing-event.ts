import type { SurfaceDialect } from '@tollgate/dialects/surface';

/** No line that tells which event follows is longer, in characters. */
const longestName = 64;
/** So much of a stream is looked at for its first event, in characters; one that is longer tells nothing. */
const longestFirst = 8_192;
const nothing = Buffer.alloc(0);

/**
 * Keeps the event that closes a stream back until it is known what stands in front of it. Everything before
 * it goes on as it comes, but for the line that tells what an event is.
 */
export class ClosingEvent {
  /** The JSON of the first event that has any; null: none came whole. */
  first: unknown = null;
  /** Latin-1 has a character for each byte. */
  private pending = '';
  private isAtStart = true;
  private head: string | null = '';
  private readonly kept: Uint8Array[] = [];
  private isClosing = false;
  private waitingBytes = 0;

  constructor(private readonly surface: SurfaceDialect) {}

  /** Takes bytes of the stream and gives those that may go on. */
  push(bytes: Uint8Array): Uint8Array {
    if (this.isClosing) return this.keep(Buffer.from(bytes));
    const text = this.pending + Buffer.from(bytes).toString('latin1');
    const end = this.scan(text);
    const out = Buffer.from(text.slice(0, end), 'latin1');
    this.readFirst(text.slice(0, end));
    this.pending = this.isClosing ? '' : text.slice(end);
    if (this.isClosing) this.keep(Buffer.from(text.slice(end), 'latin1'));
    return out;
  }

  /** How many bytes were kept since this was asked. */
  waited(): number {
    const bytes = this.waitingBytes;
    this.waitingBytes = 0;
    return bytes;
  }

  /** What was not given on of a stream that failed, and is no closing event. */
  undecided(): string {
    const { pending } = this;
    this.pending = '';
    return pending;
  }

  /** What was not given on, in pieces. */
  rest(): Uint8Array[] {
    return [Buffer.from(this.undecided(), 'latin1'), ...this.kept.splice(0)];
  }

  /** Where what may go on ends. */
  private scan(text: string): number {
    for (let at = 0; ;) {
      if (this.isAtStart) {
        const line = text.indexOf('\n', at);
        if (line < 0 && text.length - at < longestName) return at;
        this.isClosing = this.surface.closesStream(text.slice(at, line < 0 ? at + longestName : line));
        if (this.isClosing) return at;
        this.isAtStart = false;
      }
      const blank = /\r?\n\r?\n/g;
      blank.lastIndex = at;
      // An empty line may be cut in two.
      if (!blank.test(text)) return Math.max(at, text.length - (/[\r\n]+$/.exec(text)?.[0].length ?? 0));
      at = blank.lastIndex;
      this.isAtStart = true;
    }
  }

  private keep(bytes: Uint8Array): Uint8Array {
    this.kept.push(bytes);
    this.waitingBytes += bytes.length;
    return nothing;
  }

  private readFirst(text: string): void {
    if (this.head === null) return;
    this.head += text.slice(0, longestFirst);
    const json = /^data: ?(\{.*\})\r?\n/m.exec(this.head)?.[1];
    if (json !== undefined) this.first = parsed(json);
    if (json !== undefined || this.head.length >= longestFirst) this.head = null;
  }
}

function parsed(latin1: string): unknown {
  try {
    return JSON.parse(Buffer.from(latin1, 'latin1').toString());
  } catch {
    return null;
  }
}
