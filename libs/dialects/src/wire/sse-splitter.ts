import { asBuffer } from './json-cursor';

/**
 * One event as it lies in the bytes of a stream. Valid only while the listener runs: the object is used
 * again.
 * bytes[start, end) is the whole event with its comments and line ends; data[dataStart, dataEnd) its data, to
 * be read only if `hasData`, (several data lines joined by line feeds).
 * `hasData` false: nothing but comments, or fields that say nothing of the answer. `isError`: the event is
 * named `error`.
 * bytes[nameStart, nameEnd) is the event's name; both are equal when it has none.
 */
export interface SseEvent {
  bytes: Buffer;
  start: number;
  end: number;
  data: Buffer;
  dataStart: number;
  dataEnd: number;
  hasData: boolean;
  isError: boolean;
  nameStart: number;
  nameEnd: number;
}

/** An event that is longer than the splitter may keep. */
export class SseEventTooLongError extends Error {
  constructor(readonly limitBytes: number) {
    super(`an event is longer than ${limitBytes} bytes`);
    this.name = 'SseEventTooLongError';
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const empty = Buffer.alloc(0);

/**
 * Cuts a server-sent event stream into events, whichever way its bytes are split: LF, CR LF and CR line ends,
 * a byte order mark, comments, several data lines. Bytes are copied only where an event is spread over
 * several pushes. https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class SseSplitter {
  /** The beginning of an event whose end has not come yet: pending[0, pendingLength). */
  private pending: Buffer = empty;
  private pendingLength = 0;
  /** Where the scan goes on: offsets from the start of the event. */
  private scanned = 0;
  private lineStart = 0;
  private isFirst = true;
  /** The data lines of the event so far: start and end of each, offsets from the start of the event. */
  private readonly dataLines: number[] = [];
  /** The event's name so far, offsets from the start of the event. */
  private nameStart = 0;
  private nameEnd = 0;
  private readonly event: SseEvent = {
    bytes: empty,
    start: 0,
    end: 0,
    data: empty,
    dataStart: 0,
    dataEnd: 0,
    hasData: false,
    isError: false,
    nameStart: 0,
    nameEnd: 0,
  };

  /** `maxEventBytes` bounds what is kept of an event that has not ended. */
  constructor(private readonly maxEventBytes: number) {}

  /** Calls `listener` for every event that is complete with these bytes. @throws SseEventTooLongError */
  push(bytes: Uint8Array, listener: (event: SseEvent) => void): void {
    const source = this.pendingLength > 0 ? this.appended(bytes) : asBuffer(bytes);
    const consumed = this.scan(source, listener, false);
    this.keep(source, consumed);
  }

  /**
   * The stream is over: what is left is taken for an event, and ended by the blank line that did not come.
   * Without it a client would not hear of the event, and what is written behind it would be a part of it.
   */
  end(listener: (event: SseEvent) => void): void {
    if (this.pendingLength === 0) return;
    const source = this.pending.subarray(0, this.pendingLength);
    const consumed = this.scan(source, listener, true);
    if (consumed < source.length) this.finishOpenEvent(source, consumed, listener);
    this.pendingLength = 0;
  }

  private appended(bytes: Uint8Array): Buffer {
    const needed = this.pendingLength + bytes.length;
    if (needed > this.pending.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.pending.length * 2));
      this.pending.copy(larger, 0, 0, this.pendingLength);
      this.pending = larger;
    }
    this.pending.set(bytes, this.pendingLength);
    this.pendingLength = needed;
    return this.pending.subarray(0, needed);
  }

  /**
   * Keeps what follows the last complete event. The memory of events that were handed out is never written
   * again.
   */
  private keep(source: Buffer, consumed: number): void {
    const left = source.length - consumed;
    if (left > this.maxEventBytes) throw new SseEventTooLongError(this.maxEventBytes);
    if (consumed === 0 && this.pendingLength > 0) return;
    this.pending = left > 0 ? Buffer.from(source.subarray(consumed)) : empty;
    this.pendingLength = left;
  }

  /** Returns how many bytes belong to complete events. */
  private scan(source: Buffer, listener: (event: SseEvent) => void, isEnd: boolean): number {
    let eventStart = this.skipBom(source, isEnd);
    if (eventStart < 0) return 0;
    let at = eventStart + this.scanned;
    let lineStart = eventStart + this.lineStart;
    // Providers end their lines with line feeds; only a stream with a carriage return in it is worth a look
    // at every byte.
    const onlyLineFeeds = source.indexOf(carriageReturn, at) < 0;
    for (;;) {
      at = onlyLineFeeds ? indexOfLineFeed(source, at) : indexOfLineEnd(source, at);
      if (at >= source.length) break;
      const byte = source[at];
      // A carriage return at the very end may be half of a line end: the next byte decides.
      if (byte === carriageReturn && at + 1 === source.length && !isEnd) break;
      const next = byte === carriageReturn && source[at + 1] === lineFeed ? at + 2 : at + 1;
      if (at === lineStart) {
        this.dispatch(source, eventStart, next, listener);
        eventStart = next;
      } else this.readLine(source, eventStart, lineStart, at);
      at = next;
      lineStart = next;
    }
    this.scanned = at - eventStart;
    this.lineStart = lineStart - eventStart;
    return eventStart;
  }

  /** Returns where the first event starts; -1 while a byte order mark may still be coming. */
  private skipBom(source: Buffer, isEnd: boolean): number {
    if (!this.isFirst) return 0;
    const bom = [0xef, 0xbb, 0xbf];
    const matched = bom.findIndex((byte, index) => source[index] !== byte);
    if (matched >= source.length && !isEnd) return -1;
    this.isFirst = false;
    return matched < 0 ? bom.length : 0;
  }

  private dispatch(source: Buffer, start: number, end: number, listener: (event: SseEvent) => void): void {
    const { event, dataLines } = this;
    event.bytes = source;
    event.start = start;
    event.end = end;
    event.hasData = dataLines.length > 0;
    event.nameStart = start + this.nameStart;
    event.nameEnd = start + this.nameEnd;
    if (dataLines.length === 2) {
      event.data = source;
      event.dataStart = start + (dataLines[0] ?? 0);
      event.dataEnd = start + (dataLines[1] ?? 0);
    } else if (dataLines.length > 2) this.joinDataLines(source, start);
    listener(event);
    event.isError = false;
    this.nameEnd = this.nameStart;
    dataLines.length = 0;
  }

  private joinDataLines(source: Buffer, start: number): void {
    const lines: string[] = [];
    for (let i = 0; i < this.dataLines.length; i += 2) {
      lines.push(source.toString('latin1', start + (this.dataLines[i] ?? 0), start + (this.dataLines[i + 1] ?? 0)));
    }
    this.event.data = Buffer.from(lines.join('\n'), 'latin1');
    this.event.dataStart = 0;
    this.event.dataEnd = this.event.data.length;
  }

  private finishOpenEvent(source: Buffer, start: number, listener: (event: SseEvent) => void): void {
    const lineStart = start + this.lineStart;
    const isInLine = lineStart < source.length;
    if (isInLine) this.readLine(source, start, lineStart, source.length);
    const blankLine = source.at(-1) === carriageReturn ? '\r' : '\n';
    const ended = Buffer.concat([source.subarray(start), Buffer.from(isInLine ? `\n${blankLine}` : blankLine)]);
    this.dispatch(ended, 0, ended.length, listener);
  }

  /** Takes note of a data line or an event's name; ids, retry times and comments are nothing to us. */
  private readLine(source: Buffer, eventStart: number, start: number, end: number): void {
    if (startsWith(source, start, end, 'data')) {
      const valueStart = valueOf(source, start + 4, end);
      if (valueStart >= 0) this.dataLines.push(valueStart - eventStart, end - eventStart);
    } else if (startsWith(source, start, end, 'event')) {
      const valueStart = valueOf(source, start + 5, end);
      if (valueStart >= 0) this.nameEvent(source, eventStart, valueStart, end);
    }
  }

  private nameEvent(source: Buffer, eventStart: number, start: number, end: number): void {
    this.nameStart = start - eventStart;
    this.nameEnd = end - eventStart;
    this.event.isError = end - start === 5 && startsWith(source, start, end, 'error');
  }
}

function indexOfLineFeed(source: Buffer, from: number): number {
  if (source[from] === lineFeed) return from;
  const at = source.indexOf(lineFeed, from);
  return at < 0 ? source.length : at;
}

function indexOfLineEnd(source: Buffer, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== lineFeed && source[at] !== carriageReturn) at++;
  return at;
}

/**
 * Where a field's value begins, given where its name ends: behind the colon and one space. -1 when the name
 * goes on, so that it is another field.
 */
function valueOf(source: Buffer, nameEnd: number, end: number): number {
  if (nameEnd === end) return end;
  if (source[nameEnd] !== 0x3a) return -1;
  return source[nameEnd + 1] === 0x20 && nameEnd + 1 < end ? nameEnd + 2 : nameEnd + 1;
}

function startsWith(source: Buffer, start: number, end: number, word: string): boolean {
  if (end - start < word.length) return false;
  for (let i = 0; i < word.length; i++) if (source[start + i] !== word.charCodeAt(i)) return false;
  return true;
}
