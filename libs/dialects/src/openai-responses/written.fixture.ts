import { AnswerCollector } from '../canonical/collect-answer';
import type { GenerationEvent } from '../canonical/generation-event';
import { LegalEvents } from '../canonical/legal-events';
import { answerContext } from '../proof/targets.fixture';
import { openaiResponsesSurfaceCodec } from './surface-codec';

const usage = {
  input: 100,
  output: 40,
  cachedInput: 60,
  cacheWrite5m: 5,
  cacheWrite1h: 0,
  reasoning: 10,
  audioInput: 0,
  audioOutput: 0,
};

/** The events of a whole answer that says this and ends so. */
export function answerOf(said: readonly GenerationEvent[], reason: FinishWord = 'stop'): GenerationEvent[] {
  return [
    { type: 'start', id: 'up_1', model: 'large-2', createdAtS: 1_700_000_123 },
    ...said,
    { type: 'finish', choice: 0, reason },
    { type: 'usage', usage },
    { type: 'end' },
  ];
}
type FinishWord = Extract<GenerationEvent, { type: 'finish' }>['reason'];

export function textBlock(block: number, ...pieces: readonly string[]): GenerationEvent[] {
  return [
    { type: 'text-start', choice: 0, block },
    ...pieces.map((text) => ({ type: 'text-delta', choice: 0, block, text }) as const),
    { type: 'text-end', choice: 0, block },
  ];
}

export function callBlock(block: number, name: string, ...pieces: readonly string[]): GenerationEvent[] {
  return [
    { type: 'tool-call-start', choice: 0, block, id: `call_${block}`, name },
    ...pieces.map((text) => ({ type: 'tool-call-delta', choice: 0, block, arguments: text }) as const),
    { type: 'tool-call-end', choice: 0, block },
  ];
}

/** The SSE text of an answer, for a caller who sent this body. */
export function streamed(events: readonly GenerationEvent[], body: Record<string, unknown> = {}): string {
  const writer = openaiResponsesSurfaceCodec.streamWriter(answerContext({ surface: 'openai-responses' }, body));
  return ordered(events)
    .map((event) => writer.write(event))
    .join('');
}

/** The whole answer as a document, for a caller who sent this body. */
export function documented(events: readonly GenerationEvent[], body: Record<string, unknown> = {}): unknown {
  const collector = new AnswerCollector();
  for (const event of ordered(events)) collector.add(event);
  const context = answerContext({ surface: 'openai-responses' }, body);
  return JSON.parse(JSON.stringify(openaiResponsesSurfaceCodec.toResponse(collector.answer(), context)));
}

function ordered(events: readonly GenerationEvent[]): GenerationEvent[] {
  const legal = new LegalEvents('Acme');
  return events.flatMap((event) => legal.take(event));
}
