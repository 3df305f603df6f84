import { GatewayError } from '@tollgate/contracts';
import type { IncomingMessage } from 'node:http';
import type { BodyMemory } from './body-memory';

/** The caller hung up while sending its request: nobody is there to answer. */
export class CallerLeft extends Error {}

/**
 * Reads a whole request body, of at most `limit` bytes whether or not its length was announced. What it returns counts in `memory` until freed there.
 * @throws GatewayError 413 for a larger one, 503 when bodies take too much memory in all; CallerLeft.
 */
export async function readBody(request: IncomingMessage, limit: number, memory: BodyMemory): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  if (request.destroyed) throw new CallerLeft();
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      request.on('data', (chunk: Buffer) => {
        if (length + chunk.length > limit) return reject(tooLarge(limit));
        if (!memory.take(chunk.length)) return reject(memoryFull());
        length += chunk.length;
        chunks.push(chunk);
      });
      request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length)));
      const left = () => {
        if (!request.readableEnded) reject(new CallerLeft());
      };
      request.on('error', left);
      request.on('close', left);
    });
  } catch (error) {
    memory.free(length);
    // The rest is read and thrown away, so that the caller gets to read the answer; the server's request timeout bounds that.
    request.removeAllListeners('data');
    request.resume();
    throw error;
  }
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError(413, `The request body is larger than ${limit} bytes, which is the most that is accepted.`);
}

function memoryFull(): GatewayError {
  return new GatewayError(503, 'The gateway holds as many large requests as it can; try again shortly.', 2);
}
