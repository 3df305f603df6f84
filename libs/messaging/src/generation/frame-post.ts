import type { Logger } from '@tollgate/observability';
import type { NatsConnection } from 'nats';
import { TransientMap } from '../memory/transient';
import { sealBytes } from '../sealing';
import type { Sealer } from '../sealing';
import { frameHeaderBytes, frameTypes, messageHead, sealedMessage, writeFrameHeader } from './frame';
import type { FrameType } from './frame';

/** A frame that was sent, or is about to leave: then further bytes may still join it. */
export interface PostedFrame {
  readonly type: FrameType;
  readonly stream: number;
  readonly number: number;
  readonly parts: Uint8Array[];
  length: number;
}

/** Writes whole frames into `target`, from `offset` on. */
export function writeFrames(target: Buffer, offset: number, frames: readonly PostedFrame[]): void {
  let at = offset;
  for (const { type, stream, number, parts, length } of frames) {
    at = writeFrameHeader(target, at, type, stream, number, length);
    for (const part of parts) {
      target.set(part, at);
      at += part.length;
    }
  }
}

/** What waits for one destination. `openData` is the data frame of a stream that further bytes may join. */
interface PendingMessage {
  frames: PostedFrame[];
  bytes: number;
  openData: Map<number, PostedFrame>;
}

/**
 * `coalesceMs`: see HopSettings. `beforeSend` runs before frames are published, on the same connection; it
 * may send further ones.
 */
export interface FramePostOptions {
  sender: string;
  coalesceMs: number;
  beforeSend?: () => void;
  logger: Logger;
}

/**
 * No message needs to be larger: gathering more gains nothing, and both sides copy a message whole, in one
 * turn of the event loop.
 */
const largestMessage = 1024 * 1024;
const empty: Uint8Array[] = [];

/**
 * Sends frames. Those of one turn of the event loop to one subject leave in one message, and adjoining data
 * of a stream in one frame. When the last message left less than `coalesceMs` ago, data alone waits until
 * then; every other frame, and everything that waits before it, leaves with the turn.
 */
export class FramePost {
  private readonly pending = new TransientMap<string, PendingMessage>();
  /** By subject. */
  private readonly sealers = new Map<string, Sealer>();
  private readonly head: Buffer;
  private immediate: NodeJS.Immediate | null = null;
  private timer: NodeJS.Timeout | null = null;
  private lastSentAt = Number.NEGATIVE_INFINITY;
  private knownMaxPayload = 64 * 1024;

  constructor(
    private readonly connection: Pick<NatsConnection, 'publish' | 'info'>,
    private readonly options: FramePostOptions,
  ) {
    this.head = messageHead(options.sender);
  }

  /** The largest message that is sent, in bytes; the server takes it. */
  get maxPayload(): number {
    this.knownMaxPayload = this.connection.info?.max_payload ?? this.knownMaxPayload;
    return Math.min(this.knownMaxPayload, largestMessage);
  }

  /** The largest payload of one frame. */
  get maxFramePayload(): number {
    return this.maxFrames - frameHeaderBytes;
  }

  /** What goes to this subject from now on is sealed; null: goes as it is. */
  sealTo(subject: string, sealer: Sealer | null): void {
    if (sealer) this.sealers.set(subject, sealer);
    else this.sealers.delete(subject);
  }

  isSealedTo(subject: string): boolean {
    return this.sealers.has(subject);
  }

  /** Sends a frame, and returns it. `payload` must not be changed afterwards. */
  send(subject: string, type: FrameType, stream: number, number: number, payload?: Uint8Array): PostedFrame {
    const frame = { type, stream, number, parts: payload ? [payload] : empty, length: payload?.length ?? 0 };
    const message = this.push(subject, frame);
    if (type === frameTypes.data) message.openData.set(stream, frame);
    else message.openData.delete(stream);
    this.schedule(type === frameTypes.data);
    return frame;
  }

  /**
   * Sends a frame now, in a message of its own: older peers throw away a message with a frame of a type that
   * they do not know.
   */
  sendAlone(subject: string, type: FrameType, stream: number, number: number, payload: Uint8Array): void {
    this.flush();
    this.send(subject, type, stream, number, payload);
    this.flush();
  }

  /** Sends frames again, as they are. */
  repeat(subject: string, frames: readonly PostedFrame[]): void {
    // One of them may be waiting here for more bytes.
    this.flush();
    for (const frame of frames) this.push(subject, frame).openData.delete(frame.stream);
    this.schedule(false);
  }

  /**
   * Adds bytes to a data frame of the stream that has not left yet. False when there is none with room, so
   * that a new frame is needed.
   */
  extendData(subject: string, stream: number, bytes: Uint8Array): boolean {
    const message = this.pending.get(subject);
    const frame = message?.openData.get(stream);
    if (!message || !frame || message.bytes + bytes.length > this.maxFramePayload) return false;
    frame.parts.push(bytes);
    frame.length += bytes.length;
    message.bytes += bytes.length;
    return true;
  }

  /** Sends everything now. */
  flush(): void {
    this.options.beforeSend?.();
    if (this.immediate) clearImmediate(this.immediate);
    if (this.timer) clearTimeout(this.timer);
    this.immediate = null;
    this.timer = null;
    for (const [subject, message] of this.pending) this.publish(subject, message);
    this.pending.clear();
    this.lastSentAt = performance.now();
  }

  /** Forgets what has not left. */
  discard(): void {
    this.pending.clear();
  }

  /** Bytes of all frames of one message. */
  private get maxFrames(): number {
    return this.maxPayload - this.head.length - sealBytes;
  }

  private push(subject: string, frame: PostedFrame): PendingMessage {
    const message = this.messageFor(subject, frameHeaderBytes + frame.length);
    message.frames.push(frame);
    message.bytes += frameHeaderBytes + frame.length;
    return message;
  }

  private messageFor(subject: string, bytes: number): PendingMessage {
    const message = this.pending.get(subject);
    if (message && message.bytes + bytes <= this.maxFrames) return message;
    if (message) {
      this.pending.delete(subject);
      this.options.beforeSend?.();
      this.publish(subject, message);
      return this.messageFor(subject, bytes);
    }
    const fresh = { frames: [], bytes: 0, openData: new Map<number, PostedFrame>() };
    this.pending.set(subject, fresh);
    return fresh;
  }

  private schedule(dataOnly: boolean): void {
    if (this.immediate) return;
    const waitMs = dataOnly ? this.lastSentAt + this.options.coalesceMs - performance.now() : 0;
    if (waitMs > 0) this.timer ??= setTimeout(() => this.flush(), waitMs);
    else this.immediate = setImmediate(() => this.flush());
  }

  private publish(subject: string, message: PendingMessage): void {
    const buffer = Buffer.allocUnsafe(this.head.length + message.bytes);
    buffer.set(this.head);
    writeFrames(buffer, this.head.length, message.frames);
    const sealer = this.sealers.get(subject);
    try {
      this.connection.publish(subject, sealer ? sealedMessage(buffer, this.head.length, sealer) : buffer);
    } catch (error) {
      // What it held is missing now; whoever waits for it sees a gap or silence.
      this.options.logger.error({ err: error, subject, bytes: buffer.length }, 'frames could not be sent');
    }
  }
}
