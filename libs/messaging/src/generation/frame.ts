import type { AnswerKey, Sealer } from '../sealing';

/**
 * The wire form of the hop. A message is `[version u8][sender length u8][sender][frame…]`; a frame is
 * `[type u8][stream u32][number u32][payload length u32][payload]`, all big-endian. `sender` is the id of the
 * edge or instance that sent it.
 * In version 2 the frames are sealed for the edge that asked, together with what stands before them.
 */

/** What a frame says. Above 31: from edge to instance. `number` is said here where a frame uses it. */
export const frameTypes = {
  /**
   * The instance took the request. number: how many bytes of the envelope's content it holds; it waits for
   * the others.
   */
  accept: 1,
  /**
   * There is no room. The payload is what the caller is told of it, as JSON; empty: nothing in particular,
   * and from older instances.
   */
  busy: 2,
  /** number of attempt, head, data and end: the frame's place in its stream, from 0. */
  attempt: 3,
  head: 4,
  data: 5,
  /** The payload is a settlement. */
  end: 6,
  /** The payload is a settlement, then the failure as JSON. */
  fail: 7,
  /** number: the next number of the stream, so that edge sees what it misses; 0 from older instances. */
  ping: 8,
  /**
   * The stream is over for the instance, which may have said so before. The payload is a settlement. number:
   * `neverBegan` of a request that it gave up; 0 of others, and from older instances.
   */
  closed: 9,
  /** number: how many bytes of the content have arrived. */
  more: 10,
  /** A part of the request's content. number: its offset. */
  body: 32,
  /**
   * number: bytes that left edge since the last one. The payload is all that did (`encodeTotal`), whatever
   * was lost or comes late; older edges send none.
   */
  credit: 33,
  /**
   * The payload is a CancelReason. number: 1 when another instance has the request, so that the usage is not
   * this one's to report.
   */
  cancel: 34,
  heartbeat: 35,
  /**
   * Edge misses frames. number: the first that it wants, again or at last. The payload is that of a credit.
   */
  resume: 36,
} as const;
export type FrameType = (typeof frameTypes)[keyof typeof frameTypes];

/** In the place of a number: nothing was done for the request, as the whole of it never came. */
export const neverBegan = 1;

export interface Frame {
  type: FrameType;
  stream: number;
  number: number;
  payload: Uint8Array;
}

/** The bytes of a frame in front of its payload. */
export const frameHeaderBytes = 13;
const version = 1;
const sealedVersion = 2;
const empty = new Uint8Array(0);
const knownTypes = new Set<number>(Object.values(frameTypes));

/** A message that is not of this wire form: of another version, or damaged. */
export class FrameError extends Error {}

/** The bytes that a message has before its first frame. */
export function messageHead(sender: string): Buffer {
  if (!/^[\w-]{1,64}$/.test(sender))
    throw new RangeError(`not an id of an edge or instance: ${JSON.stringify(sender)}`);
  return Buffer.concat([Uint8Array.of(version, sender.length), Buffer.from(sender, 'latin1')]);
}

/** The message with its frames sealed. `headBytes`: what stands before them. */
export function sealedMessage(message: Buffer, headBytes: number, sealer: Sealer): Buffer {
  const head = Buffer.from(message.subarray(0, headBytes));
  head[0] = sealedVersion;
  return Buffer.concat([head, sealer.seal(message.subarray(headBytes), head)]);
}

/**
 * Writes a frame's header at `offset` of `target`; its payload of `length` bytes is to follow. Returns the
 * offset behind the header.
 */
export function writeFrameHeader(
  target: Buffer,
  offset: number,
  type: FrameType,
  stream: number,
  number: number,
  length: number,
): number {
  target[offset] = type;
  target.writeUInt32BE(stream, offset + 1);
  target.writeUInt32BE(number, offset + 5);
  return target.writeUInt32BE(length, offset + 9);
}

/** A number of bytes that may exceed 32 bits, as f64. */
export function encodeTotal(bytes: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeDoubleBE(bytes);
  return payload;
}

/** Null: the payload holds none. */
export function decodeTotal(payload: Uint8Array): number | null {
  return payload.length < 8 ? null : new DataView(payload.buffer, payload.byteOffset).getFloat64(0);
}

/**
 * Reads a whole message. Payloads are views of `data`, or of what was sealed in it. Frames of types that a
 * newer peer may know are left out. `key` null: nothing was asked for that is answered under a seal.
 * @throws FrameError when any part of it is damaged: then none of it counts.
 */
export function decodeMessage(data: Uint8Array, key: AnswerKey | null = null): { sender: string; frames: Frame[] } {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const senderLength = buffer[1];
  const isSealed = key !== null && buffer[0] === sealedVersion;
  if (!(isSealed || buffer[0] === version) || !senderLength || buffer.length < 2 + senderLength)
    throw new FrameError('not a message of this version');
  const head = buffer.subarray(0, 2 + senderLength);
  const rest = buffer.subarray(head.length);
  const frames = framesOf(isSealed ? unsealed(key, rest, head) : rest);
  return { sender: head.toString('latin1', 2), frames };
}

function unsealed(key: AnswerKey, sealed: Buffer, head: Buffer): Buffer {
  try {
    return key.unseal(sealed, head);
  } catch (cause) {
    throw new FrameError('a message is not sealed for this edge', { cause });
  }
}

/** @throws FrameError when they are damaged. */
export function framesOf(buffer: Buffer): Frame[] {
  const frames: Frame[] = [];
  let offset = 0;
  while (offset < buffer.length) {
    if (buffer.length - offset < frameHeaderBytes) throw new FrameError('a frame header is cut off');
    const type = buffer.readUInt8(offset);
    const length = buffer.readUInt32BE(offset + 9);
    const start = offset + frameHeaderBytes;
    if (start + length > buffer.length) throw new FrameError('a frame is cut off');
    if (isFrameType(type))
      frames.push({
        type,
        stream: buffer.readUInt32BE(offset + 1),
        number: buffer.readUInt32BE(offset + 5),
        payload: length === 0 ? empty : buffer.subarray(start, start + length),
      });
    offset = start + length;
  }
  return frames;
}

function isFrameType(type: number): type is FrameType {
  return knownTypes.has(type);
}
