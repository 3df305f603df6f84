import type { GenerationCall, GenerationHandler } from '../generation/generation-stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { anEvent, chunkOf } from './generation-fixtures';

/** What a scripted handler did, told as it happens. */
export interface HandlerReport {
  what: 'started' | 'stopped' | 'finished';
  requestId: string;
  reason: string | null;
  bodyBytes: number;
}

/**
 * A handler that does what the request's headers say: `chunks` pieces of `size` bytes, `delay` milliseconds
 * before each. Its event counts one output token a chunk.
 */
export function scriptedHandler(report: (report: HandlerReport) => void): GenerationHandler {
  return async (call) => {
    const tell = (what: HandlerReport['what'], reason: string | null = null) =>
      report({ what, requestId: call.request.requestId, reason, bodyBytes: call.body.length });
    tell('started');
    await call.attempt(
      { number: 1, model: call.request.model, provider: 'scripted', deployment: 'scripted' },
      () => 10,
    );
    let written = 0;
    try {
      call.head({ status: 200, headers: { 'content-type': 'text/event-stream' } });
      const { chunks = '1', size = '100', delay = '0' } = call.request.headers;
      for (; written < Number(chunks); written++) await sendChunk(call, written, Number(size), Number(delay));
      call.end(anEvent(call.request.eventId, written));
      tell('finished');
    } catch {
      tell('stopped', String(call.signal.reason));
      const failure = { code: 'cancelled', status: 499, message: 'stopped', retryAfterS: null } as const;
      call.fail(failure, anEvent(call.request.eventId, written, 'cancelled'));
    }
  };
}

async function sendChunk(call: GenerationCall, index: number, size: number, delayMs: number): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, undefined, { signal: call.signal });
  call.signal.throwIfAborted();
  if (!call.write(chunkOf(call.request.requestId, index, size))) await call.drained();
}
