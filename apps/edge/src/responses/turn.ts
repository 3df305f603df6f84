import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const lengthBytes = 4;
const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** What is kept of one response, as JSON texts: the list of what was new in its input, the list of its output, and the response itself. */
export interface Turn {
  readonly input: Uint8Array;
  readonly output: Uint8Array;
  readonly response: Uint8Array;
}

export function bytesOf({ input, output, response }: Turn): number {
  return input.length + output.length + response.length;
}

/** A turn as one piece, compressed beside the event loop. */
export function packed({ input, output, response }: Turn): Promise<Buffer> {
  const lengths = Buffer.alloc(2 * lengthBytes);
  lengths.writeUInt32BE(input.length, 0);
  lengths.writeUInt32BE(output.length, lengthBytes);
  return compress(Buffer.concat([lengths, input, output, response]), { level: 1 });
}

/** @throws RangeError when it is larger than `mostBytes`; an error when it is no turn. */
export async function unpacked(bytes: Uint8Array, mostBytes: number): Promise<Turn> {
  const whole = await decompress(bytes, { maxOutputLength: mostBytes + 2 * lengthBytes });
  const inputAt = 2 * lengthBytes;
  const outputAt = inputAt + whole.readUInt32BE(0);
  const responseAt = outputAt + whole.readUInt32BE(lengthBytes);
  return {
    input: whole.subarray(inputAt, outputAt),
    output: whole.subarray(outputAt, responseAt),
    response: whole.subarray(responseAt),
  };
}
