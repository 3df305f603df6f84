import { GatewayError } from '@tollgate/contracts';
import { takeUnread } from '../http/unread-bodies';
import { Unreadable } from './body-turns';
import type { RequestMessage } from './inner-exchange';

/** When a caller may come again that waited for memory in vain, seconds. */
const retryAfterS = 5;
/** How long a caller whose rest is not read has to read its answer, milliseconds. */
const answerTimeMs = 1_000;

/** The rest of a refused body is read and thrown away, so that the caller gets to read the answer. */
export function leaveRest(request: RequestMessage, refusal: unknown): void {
  request.removeAllListeners('data');
  if (!(refusal instanceof Unreadable)) return takeUnread(request);
  request.pause();
  setTimeout(() => request.destroy(), answerTimeMs).unref();
}

export function tooLarge(limit: number): GatewayError {
  return new GatewayError(413, `The request body is larger than ${limit} bytes, which is the most that is accepted.`);
}

/** What compression may add to bytes that it cannot make fewer, at the most. */
const mostOverhead = 1.01;
const freeOverhead = 1_024;

/** Whether so many bytes, compressed or not, were sent for a body that they cannot be one of `limit` bytes. */
export function isMoreThanFits(sentBytes: number, limit: number): boolean {
  return sentBytes > limit * mostOverhead + freeOverhead;
}

export function memoryFull(): GatewayError {
  return new GatewayError(503, 'The gateway holds as many large requests as it can; try again shortly.', retryAfterS);
}
