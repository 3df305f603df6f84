import type { GenerationEvent } from '../canonical/generation-event';
import { isRecord, recordIn } from '../wire/json-value';
import type { BlockReader } from './block-reader';
import { readLogprobs } from './read-logprobs';

/**
 * The message of a whole answer, as the events of a stream that sent each block in one piece.
 * https://docs.cohere.com/reference/chat#response.body.message
 */
export function documentEvents(
  message: Record<string, unknown>,
  logprobs: unknown,
  blocks: BlockReader,
  newId: () => string,
): GenerationEvent[] {
  const { tool_plan: plan } = message;
  const items = records(message.content);
  const lastText = items.findLastIndex(({ type }) => type === 'text');
  const told = Array.isArray(logprobs) ? logprobs.flatMap(readLogprobs) : [];
  const content = items.flatMap((item, index) => [
    ...contentEvents(item, index, index === lastText ? told : [], blocks),
    ...citationsOf(message, index, lastText).flatMap((citation) => blocks.cite(citation)),
  ]);
  const calls = records(message.tool_calls).flatMap((call, index) => {
    const { name, arguments: text } = recordIn(call, 'function');
    if (typeof name !== 'string') return [];
    const id = typeof call.id === 'string' && call.id !== '' ? call.id : newId();
    return [
      ...blocks.call(index, id, name),
      ...blocks.callDelta(index, typeof text === 'string' ? text : ''),
      ...blocks.endCall(index),
    ];
  });
  return [
    ...(typeof plan === 'string' && plan !== '' ? blocks.say('reasoning', null, plan) : []),
    ...content,
    ...calls,
  ];
}

function contentEvents(
  item: Record<string, unknown>,
  index: number,
  logprobs: ReturnType<typeof readLogprobs>,
  blocks: BlockReader,
): GenerationEvent[] {
  if (item.type === 'thinking')
    return blocks.say('reasoning', index, typeof item.thinking === 'string' ? item.thinking : '');
  return typeof item.text === 'string' ? blocks.say('text', index, item.text, logprobs) : [];
}

/** The citations of one piece of content; those that name none belong to the last text. */
function citationsOf(message: Record<string, unknown>, index: number, lastText: number): Record<string, unknown>[] {
  return records(message.citations).filter(({ content_index: told }) =>
    typeof told === 'number' ? told === index : index === lastText,
  );
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
