import { ApiError } from '../api/api-error';
import { change, withQuery } from '../api/client';
import { withChunk } from './chat-chunk';
import type { AssistantTurn } from './turns';

/**
 * Reads server-sent events from text that comes in pieces of any length, cut anywhere. Gives the data of each
 * whole event; comments and other fields are left out.
 */
export class SseParser {
  private rest = '';
  private data: string[] = [];

  feed(piece: string): string[] {
    const events: string[] = [];
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.data.length) events.push(this.data.join('\n'));
        this.data = [];
      } else if (line.startsWith('data:')) this.data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
    return events;
  }
}

/**
 * Asks the model and tells the answer as it grows. An aborted `signal` stops the model; what came until then
 * stays.
 * A stream that ends without its end mark has failed, however much came.
 */
export async function streamAnswer(
  keyId: string,
  body: Record<string, unknown>,
  empty: AssistantTurn,
  signal: AbortSignal,
  onGrown: (answer: AssistantTurn) => void,
): Promise<void> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  let answer = empty;
  const grow = (next: AssistantTurn) => onGrown((answer = next));
  const end = (changes: Partial<AssistantTurn>) =>
    grow({ ...answer, ...changes, measure: { ...answer.measure, totalMs: elapsed(), endedAt: Date.now() } });
  try {
    const response = await change('POST', withQuery('/api/playground/chat/completions', { keyId }), body, { signal });
    const requestId = response.headers.get('x-request-id');
    const simulated = response.headers.get('x-gateway-sandbox') === 'true';
    grow({ ...answer, measure: { ...answer.measure, requestId, simulated } });
    let complete = false;
    for await (const data of eventsOf(response)) {
      if (data === '[DONE]') complete = true;
      else grow(withChunk(answer, data, elapsed()));
    }
    if (answer.state === 'failed') end({});
    else if (complete) end({ state: 'done' });
    else end({ state: 'failed', problem: 'The answer broke off before its end.' });
  } catch (error) {
    if (signal.aborted) end({ state: 'stopped' });
    else end({ state: 'failed', problem: error instanceof ApiError ? error.message : 'The connection was lost.' });
  }
}

async function* eventsOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  const parser = new SseParser();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield* parser.feed(value);
  }
}
