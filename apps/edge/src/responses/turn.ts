import { uuidv7 } from '@tollgate/contracts';
import { joinedInTurns } from '../generation/in-turns';
import { compressed, decompressed } from './compressed';

const lengthBytes = 4;

/**
 * What is kept of one response, as JSON texts: the list of what was new in its input, the list of its output,
 * and the rest of the response.
 */
export interface Turn {
  readonly input: Uint8Array;
  readonly output: Uint8Array;
  readonly rest: Uint8Array;
}

/** How a response in the background stands that is not kept in its last form yet. */
export const waitingStatus = 'queued';

/** Whether a response is still being made in the background. */
export function isWaiting({ rest }: Pick<Turn, 'rest'>): boolean {
  // Few are: the others are not parsed for that.
  return Buffer.from(rest.buffer, rest.byteOffset, rest.length).includes(`"status":"${waitingStatus}"`)
    ? restOf({ rest }).status === waitingStatus
    : false;
}

/**
 * A response in the background that is not to be stored can be fetched for so long after it was made.
 * https://developers.openai.com/api/docs/guides/background
 */
export const fetchedWithinMs = 10 * 60_000;

/** Whether a response was only kept to be fetched, and the time for that is over. */
export function isPast({ rest }: Pick<Turn, 'rest'>, nowMs: number): boolean {
  if (!Buffer.from(rest.buffer, rest.byteOffset, rest.length).includes('"store":false')) return false;
  const { store, background, completed_at: atS } = restOf({ rest });
  return store === false && background === true && typeof atS === 'number' && nowMs > atS * 1_000 + fetchedWithinMs;
}

/** The response without its output. */
export function restOf({ rest }: Pick<Turn, 'rest'>): Record<string, unknown> {
  return JSON.parse(Buffer.from(rest).toString('utf8')) as Record<string, unknown>;
}

/** What it brings into a conversation that goes on from it, bytes. */
export function bytesOf({ input, output }: Turn): number {
  return input.length + output.length;
}

/** The whole response, as JSON text, which takes turns of the event loop where it is large. */
export function responseOf({ output, rest }: Turn): Promise<Buffer> {
  return joinedInTurns([rest.subarray(0, -1), Buffer.from(',"output":'), output, Buffer.from('}')]);
}

/** The id of a response that the gateway makes itself. */
export function newResponseId(): string {
  return `resp_${uuidv7().replaceAll('-', '')}`;
}

/** Whether it can be the id of something that is kept. */
export function isKeptId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w.-]{1,256}$/.test(id);
}

/** A turn as one piece, compressed beside the event loop. */
export function packed({ input, output, rest }: Turn): Promise<Buffer> {
  const lengths = Buffer.alloc(2 * lengthBytes);
  lengths.writeUInt32BE(input.length, 0);
  lengths.writeUInt32BE(output.length, lengthBytes);
  return compressed([lengths, input, output, rest]);
}

/** @throws RangeError when it is larger than `mostBytes`; an error when it is no turn. */
export async function unpacked(bytes: Buffer, mostBytes: number): Promise<Turn> {
  const whole = await decompressed(bytes, mostBytes + 2 * lengthBytes);
  const inputAt = 2 * lengthBytes;
  const outputAt = inputAt + whole.readUInt32BE(0);
  const restAt = outputAt + whole.readUInt32BE(lengthBytes);
  return {
    input: whole.subarray(inputAt, outputAt),
    output: whole.subarray(outputAt, restAt),
    rest: whole.subarray(restAt),
  };
}
