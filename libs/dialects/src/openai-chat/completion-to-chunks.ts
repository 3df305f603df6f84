import { isRecord, recordIn } from '../wire/json-value';
import type { Completion } from './completion';

const done = 'data: [DONE]\n\n';

/**
 * A whole completion as the stream a caller asked for: one chunk with the message and one with the finish for
 * every choice, the usage if it was asked for, and [DONE].
 * For providers that ignore `stream`.
 */
export function completionToChunks(completion: Completion, includeUsage: boolean): string {
  const { choices: _choices, usage, object: _object, ...head } = completion.body;
  const chunk = (choices: unknown[], rest: object = {}) =>
    event({ ...head, object: 'chat.completion.chunk', choices, ...rest });
  let stream = '';
  for (const [position, choice] of completion.choices.entries()) {
    const { message: _message, finish_reason: finishReason, index = position, ...rest } = choice;
    stream += chunk([{ ...rest, index, delta: toDelta(recordIn(choice, 'message')), finish_reason: null }]);
    stream += chunk([{ index, delta: {}, finish_reason: finishReason ?? 'stop' }]);
  }
  if (includeUsage && isRecord(usage)) stream += chunk([], { usage });
  return stream + done;
}

/** In a stream every tool call carries its index. */
function toDelta(message: Record<string, unknown>): Record<string, unknown> {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call: unknown, index) => (isRecord(call) ? { index, ...call } : call)) };
}

function event(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
