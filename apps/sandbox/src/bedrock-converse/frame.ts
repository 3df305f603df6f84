import { crc32 } from 'node:zlib';

/** The type of a header's value that is a text. */
const textType = 7;
const preludeBytes = 8;
const checksumBytes = 4;

/**
 * One message of an AWS event stream: the lengths of all and of the headers, a checksum of both, headers,
 * payload, a checksum of everything before. Numbers are big-endian.
 * https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html#streaming-event-stream
 */
export function frame(kind: 'event' | 'exception', type: string, payload: Record<string, unknown>): Buffer {
  const headers = Buffer.concat([
    header(`:${kind}-type`, type),
    header(':content-type', 'application/json'),
    header(':message-type', kind),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const total = preludeBytes + checksumBytes + headers.length + body.length + checksumBytes;
  const prelude = Buffer.alloc(preludeBytes);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const checked = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([checked, checksum(checked)]);
}

function header(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const lengths = Buffer.from([textType, text.length >> 8, text.length & 0xff]);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), lengths, text]);
}

function checksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(checksumBytes);
  sum.writeUInt32BE(crc32(bytes), 0);
  return sum;
}
