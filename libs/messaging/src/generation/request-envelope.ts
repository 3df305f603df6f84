import { FrameError } from './frame';

/**
 * The message that asks for a generation. Its content is the request as JSON, then the body; `part` holds as
 * much of the content's beginning as fits.
 * `sentAt` is edge's clock in epoch milliseconds; `window` is the credit in bytes that the answer starts
 * with.
 * Wire form: `[version u8][edge length u8][edge][stream u32][sentAt f64][window u32]`, then
 * `[request length u32][content length u32][part]`.
 */
export interface RequestEnvelope {
  edge: string;
  stream: number;
  sentAt: number;
  window: number;
  requestBytes: number;
  contentBytes: number;
  part: Uint8Array;
}

const version = 1;
const fixedBytes = 26;

/** The bytes of an envelope beside its part. */
export function envelopeOverhead(edge: string): number {
  return fixedBytes + edge.length;
}

/** Writes an envelope whose part is these pieces, one behind the other. */
export function encodeEnvelope(envelope: Omit<RequestEnvelope, 'part'>, pieces: readonly Uint8Array[]): Buffer {
  const { edge } = envelope;
  const partBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const buffer = Buffer.allocUnsafe(envelopeOverhead(edge) + partBytes);
  buffer[0] = version;
  buffer[1] = edge.length;
  let offset = 2 + buffer.write(edge, 2, 'latin1');
  offset = buffer.writeUInt32BE(envelope.stream, offset);
  offset = buffer.writeDoubleBE(envelope.sentAt, offset);
  offset = buffer.writeUInt32BE(envelope.window, offset);
  offset = buffer.writeUInt32BE(envelope.requestBytes, offset);
  offset = buffer.writeUInt32BE(envelope.contentBytes, offset);
  for (const piece of pieces) {
    buffer.set(piece, offset);
    offset += piece.length;
  }
  return buffer;
}

/**
 * Reads an envelope; `part` is a view of `data`.
 * @throws FrameError when it is damaged or contradicts itself.
 */
export function decodeEnvelope(data: Uint8Array): RequestEnvelope {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const edgeLength = buffer[1];
  if (buffer[0] !== version || !edgeLength || buffer.length < fixedBytes + edgeLength)
    throw new FrameError('not a request envelope of this version');
  const edge = buffer.toString('latin1', 2, 2 + edgeLength);
  const at = 2 + edgeLength;
  const envelope = {
    edge,
    stream: buffer.readUInt32BE(at),
    sentAt: buffer.readDoubleBE(at + 4),
    window: buffer.readUInt32BE(at + 12),
    requestBytes: buffer.readUInt32BE(at + 16),
    contentBytes: buffer.readUInt32BE(at + 20),
    part: buffer.subarray(at + 24),
  };
  if (
    !/^[\w-]{1,64}$/.test(edge) ||
    envelope.requestBytes > envelope.contentBytes ||
    envelope.part.length > envelope.contentBytes
  )
    throw new FrameError('a request envelope contradicts itself');
  return envelope;
}
