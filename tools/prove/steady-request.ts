import type { GenerationSurface } from '@tollgate/contracts';
import type { PlannedRequest } from './planned-request';

const model = 'openai/gpt-5.4-mini';
const surfaces: readonly GenerationSurface[] = ['openai-chat', 'anthropic-messages', 'openai-responses'];

/**
 * One request of a load without faults, decided by its number alone: over all surfaces in turn, every second
 * one a stream of about three seconds.
 */
export function steadyRequest(number: number, run: string): PlannedRequest {
  const stream = number % 2 === 0;
  const tokens = stream ? 100 : 20;
  return {
    id: `${run}-${number}`,
    kind: stream ? 'stream' : 'plain',
    surface: surfaces[number % surfaces.length] ?? 'openai-chat',
    model,
    stream,
    prompt: `Rolling on. [[sandbox: tokens=${tokens} delay_ms=30]]`,
    abortAfterPieces: null,
    abortAfterMs: null,
  };
}

/** Such requests until `end`. */
export function* steadyRequests(run: string, end: AbortSignal): Generator<PlannedRequest> {
  for (let number = 0; !end.aborted; number++) yield steadyRequest(number, run);
}
