import type { PlannedRequest } from './planned-request';
import { StreamReader } from './stream-reader';
import { clientSurfaces } from './client-surface';
import { whatBroke } from './what-broke';

/**
 * What the caller saw. complete: a whole answer, `content` is its text; failed: it was told so; left: it hung
 * up as planned;
 * silent: the answer just ended, which must never happen.
 */
export interface Outcome {
  request: PlannedRequest;
  state: 'complete' | 'failed' | 'left' | 'silent';
  content: string;
  /** What the caller was told, empty when all was well. */
  reason: string;
  /** What its caller was told of its charge, each time that it was. */
  costs: string[];
  /** When the request was sent and when its answer was over, epoch milliseconds. */
  sentAt: number;
  endedAt: number;
}

/** Longer than any planned answer and any recovery. */
const patienceMs = 90_000;

/**
 * Sends one request to the address of its surface and reads its answer as a careful client does. Never
 * throws: trouble is an outcome.
 */
export async function exchange(url: string, apiKey: string, request: PlannedRequest): Promise<Outcome> {
  const surface = clientSurfaces[request.surface];
  const caller = new AbortController();
  const patience = setTimeout(() => caller.abort('out of patience'), patienceMs);
  const leave =
    request.abortAfterMs === null ? undefined : setTimeout(() => caller.abort('left'), request.abortAfterMs);
  const sentAt = Date.now();
  const reader = new StreamReader(surface);
  const outcome = (state: Outcome['state'], content: string, reason = ''): Outcome => {
    return { request, state, content, reason, costs: reader.costs, sentAt, endedAt: Date.now() };
  };
  try {
    const response = await send(url, apiKey, request, caller.signal);
    const cost = response.headers.get('x-tollgate-cost');
    if (cost !== null) reader.costs.push(cost);
    if (!response.ok) return outcome('failed', '', `${response.status} ${await response.text()}`);
    if (!request.stream) return outcome('complete', surface.textOf(await response.json()));
    for await (const bytes of response.body ?? []) {
      if (bytes instanceof Uint8Array) reader.read(bytes);
      if (request.abortAfterPieces !== null && reader.pieces >= request.abortAfterPieces) {
        caller.abort('left');
        return outcome('left', reader.content);
      }
    }
    if (reader.error !== null) return outcome(reader.done ? 'silent' : 'failed', reader.content, reader.error);
    return outcome(
      reader.done ? 'complete' : 'silent',
      reader.content,
      reader.done ? '' : 'ended without its end or an error',
    );
  } catch (error) {
    if (caller.signal.reason === 'left') return outcome('left', '');
    // A broken connection is a visible failure, whatever came before it.
    return outcome(caller.signal.aborted ? 'silent' : 'failed', reader.content, `connection: ${whatBroke(error)}`);
  } finally {
    clearTimeout(patience);
    clearTimeout(leave);
  }
}

function send(url: string, apiKey: string, request: PlannedRequest, signal: AbortSignal): Promise<Response> {
  const { id, surface, model, prompt, stream, beside } = request;
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'x-request-id': id,
      ...beside?.headers,
    },
    body: JSON.stringify({ ...clientSurfaces[surface].body(model, prompt, stream), ...beside?.members }),
    signal,
  });
}

/** The ids of requests that were answered whole. */
export function answeredWhole(outcomes: readonly Outcome[]): string[] {
  return outcomes.filter(isWhole).map(({ request }) => request.id);
}

/** A sentence for each request that was answered with an error, or broke, or ended silently. */
export function failures(outcomes: readonly Outcome[]): string[] {
  return outcomes
    .filter((outcome) => !isWhole(outcome))
    .map(
      ({ request, state, reason }) =>
        `${request.id} (${request.surface}, ${request.kind}): ${state}, ${reason.slice(0, 200)}`,
    );
}

function isWhole({ state, content }: Outcome): boolean {
  return state === 'complete' && content !== '';
}
