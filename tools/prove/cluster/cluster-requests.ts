import type { PlannedRequest } from '../planned-request';
import { steadyRequest } from '../steady-request';

/** Of so many requests one has a large answer in one piece, and one a large stream. */
const largeEvery = 30;
/** A plain answer of these is about a MiB of text, and a stream of those about a MiB of events. */
const plainTokens = 200_000;
const streamTokens = 5_000;

/**
 * A steady load, with large answers among the small ones: they fill the windows of the hop while a node ends.
 */
export function* clusterRequests(run: string, end: AbortSignal): Generator<PlannedRequest> {
  for (let number = 0; !end.aborted; number++) {
    const request = steadyRequest(number, run);
    const tokens = request.stream ? streamTokens : plainTokens;
    yield number % largeEvery < 2 ? { ...request, prompt: `Much. [[sandbox: tokens=${tokens}]]` } : request;
  }
}
