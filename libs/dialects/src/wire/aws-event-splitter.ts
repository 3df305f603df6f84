import { EventStreamCodec } from '@smithy/core/event-streams';
import type { MessageHeaders } from '@smithy/core/event-streams';
import { asBuffer } from './json-cursor';

/** A message of an event stream that is longer than the splitter may keep. */
export class AwsEventTooLongError extends Error {
  constructor(readonly limitBytes: number) {
    super(`an event is longer than ${limitBytes} bytes`);
    this.name = 'AwsEventTooLongError';
  }
}

/**
 * Bytes that are no AWS event stream: a checksum that does not fit, an impossible length, headers that cannot
 * be read.
 */
export class AwsEventFormatError extends Error {
  constructor(reason: string) {
    super(`malformed AWS event: ${reason}`);
    this.name = 'AwsEventFormatError';
  }
}

/**
 * `name` is the event's or the exception's type ('' when the message has none); `payload` its text, JSON for
 * Bedrock.
 */
export type AwsEventListener = (name: string, payload: string) => void;

/**
 * Total length, header length and the checksum of both; then headers and payload; then the checksum of the
 * whole.
 */
const smallestMessageBytes = 16;
const empty = Buffer.alloc(0);

/**
 * Cuts a binary AWS event stream into events, whichever way its bytes are split. Bytes are copied only where
 * a message is spread over several pushes.
 * A message of the type `error`, which has its words in the headers, comes as the event `error` with the
 * payload {"code","message"}.
 * https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html#streaming-event-stream
 */
export class AwsEventSplitter {
  /** The beginning of a message whose end has not come yet: pending[0, pendingLength). */
  private pending: Buffer = empty;
  private pendingLength = 0;
  private readonly codec = new EventStreamCodec(
    (bytes: Uint8Array | string) => (typeof bytes === 'string' ? bytes : asBuffer(bytes).toString('utf8')),
    (text) => Buffer.from(text),
  );

  /** `maxMessageBytes` bounds what is kept of a message that has not ended. */
  constructor(private readonly maxMessageBytes: number) {}

  /**
   * Calls `onEvent` for every message that is complete with these bytes.
   * @throws AwsEventTooLongError, AwsEventFormatError
   */
  push(bytes: Uint8Array, onEvent: AwsEventListener): void {
    const source = this.pendingLength > 0 ? this.appended(bytes) : asBuffer(bytes);
    let at = 0;
    for (;;) {
      const length = this.messageLength(source, at);
      if (length === null || source.length - at < length) break;
      this.tell(source.subarray(at, at + length), onEvent);
      at += length;
    }
    this.keep(source, at);
  }

  /** The stream is over. True when nothing is left over: it ended between two messages. */
  end(): boolean {
    const whole = this.pendingLength === 0;
    this.pendingLength = 0;
    this.pending = empty;
    return whole;
  }

  /** Null: it is not known yet. */
  private messageLength(source: Buffer, at: number): number | null {
    if (source.length - at < 4) return null;
    const length = source.readUInt32BE(at);
    if (length < smallestMessageBytes) throw new AwsEventFormatError(`a length of ${length} bytes`);
    if (length > this.maxMessageBytes) throw new AwsEventTooLongError(this.maxMessageBytes);
    return length;
  }

  private tell(message: Buffer, onEvent: AwsEventListener): void {
    const { headers, body } = this.decoded(message);
    if (text(headers, ':message-type') === 'error') {
      const error = { code: text(headers, ':error-code'), message: text(headers, ':error-message') };
      onEvent('error', JSON.stringify(error));
    } else {
      onEvent(text(headers, ':event-type') || text(headers, ':exception-type'), asBuffer(body).toString('utf8'));
    }
  }

  private decoded(message: Buffer): ReturnType<EventStreamCodec['decode']> {
    try {
      return this.codec.decode(message);
    } catch (error) {
      throw new AwsEventFormatError(error instanceof Error ? error.message : 'it cannot be read');
    }
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

  /** Keeps what follows the last complete message. */
  private keep(source: Buffer, consumed: number): void {
    if (consumed === 0 && this.pendingLength > 0) return;
    this.pending = consumed < source.length ? Buffer.from(source.subarray(consumed)) : empty;
    this.pendingLength = source.length - consumed;
  }
}

/** The value of a text header; '' when it is absent or of another type. */
function text(headers: MessageHeaders, name: string): string {
  const header = headers[name];
  return header?.type === 'string' ? header.value : '';
}
