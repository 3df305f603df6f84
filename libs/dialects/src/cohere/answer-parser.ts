import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerParser, ParseContext } from '../canonical/codec';
import type { FinishReason, GenerationEvent } from '../canonical/generation-event';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { isRecord, recordIn } from '../wire/json-value';
import { BlockReader } from './block-reader';
import { readLogprobs } from './read-logprobs';

/** https://docs.cohere.com/reference/chat#response.body.finish_reason */
const reasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop-sequence',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
};

/**
 * Reads the events of a streamed chat, or the document of a whole one. https://docs.cohere.com/docs/streaming
 * https://docs.cohere.com/reference/chat-stream
 */
export class CohereAnswerParser implements AnswerParser {
  private readonly blocks = new BlockReader();
  private readonly providerName: string;
  private readonly newId: () => string;
  private started = false;
  private ended = false;

  constructor({ target, newId }: ParseContext) {
    this.providerName = target.provider.name;
    this.newId = newId;
  }

  /** The type stands in the event's data, whatever its name. */
  onEvent(_name: string, value: unknown): GenerationEvent[] {
    if (this.ended || !isRecord(value)) return [];
    const message = recordIn(recordIn(value, 'delta'), 'message');
    switch (value.type) {
      case 'message-start':
        return this.start(value.id);
      case 'content-start':
      case 'content-delta':
        return [...this.start(null), ...this.content(value, recordIn(message, 'content'))];
      case 'tool-plan-delta':
        return [...this.start(null), ...this.blocks.say('reasoning', null, textOf(message.tool_plan))];
      case 'tool-call-start':
        return [...this.start(null), ...this.callStart(indexOf(value), recordIn(message, 'tool_calls'))];
      case 'tool-call-delta':
        return this.callDelta(indexOf(value), recordIn(message, 'tool_calls'));
      case 'tool-call-end':
        return this.blocks.endCall(indexOf(value));
      case 'citation-start':
        return this.blocks.cite(recordIn(message, 'citations'));
      case 'message-end':
        return this.messageEnd(recordIn(value, 'delta'));
      default:
        return this.unnamed(value);
    }
  }

  onDocument(value: unknown): GenerationEvent[] {
    if (!isRecord(value) || !isRecord(value.message) || typeof value.finish_reason !== 'string')
      return this.failed('bad_answer', 'sent a document that is no answer');
    return [
      ...this.start(value.id),
      ...documentEvents(value.message, value.logprobs, this.blocks, this.newId),
      ...this.messageEnd(value),
    ];
  }

  onClose(): GenerationEvent[] {
    return [];
  }

  private start(id: unknown): GenerationEvent[] {
    if (this.started) return [];
    this.started = true;
    return [{ type: 'start', id: typeof id === 'string' ? id : null, model: null, createdAtS: null }];
  }

  /** A thought or a text, which the start names and each delta shows. */
  private content(value: Record<string, unknown>, content: Record<string, unknown>): GenerationEvent[] {
    const isThought = content.type === 'thinking' || typeof content.thinking === 'string';
    if (isThought) return this.blocks.say('reasoning', indexOf(value), textOf(content.thinking));
    return this.blocks.say('text', indexOf(value), textOf(content.text), readLogprobs(value.logprobs));
  }

  private callStart(index: number, call: Record<string, unknown>): GenerationEvent[] {
    const id = textOf(call.id) || this.newId();
    const { name } = recordIn(call, 'function');
    return [...this.blocks.call(index, id, textOf(name)), ...this.callDelta(index, call)];
  }

  private callDelta(index: number, call: Record<string, unknown>): GenerationEvent[] {
    return this.blocks.callDelta(index, textOf(recordIn(call, 'function').arguments));
  }

  private messageEnd(end: Record<string, unknown>): GenerationEvent[] {
    const raw = textOf(end.finish_reason);
    if (isFailure(raw) || typeof end.error === 'string')
      return this.failed('error_in_answer', `broke off its answer (${isFailure(raw) ? raw : 'ERROR'})`);
    this.ended = true;
    const usage = readUsage(end.usage);
    return [
      ...this.start(null),
      ...this.blocks.close(),
      { type: 'finish', choice: 0, reason: finishReason(raw), raw },
      ...(usage ? [{ type: 'usage' as const, usage }] : []),
      { type: 'end' },
    ];
  }

  /** An error has no type; what is yet to come is no reason to fail. */
  private unnamed({ type, message }: Record<string, unknown>): GenerationEvent[] {
    const isError = type === 'error' || (type === undefined && typeof message === 'string');
    return isError ? this.failed('error_in_answer', 'broke off its answer with an error') : [];
  }

  /** `what` completes "<provider> ...". */
  private failed(code: string, what: string): GenerationEvent[] {
    this.ended = true;
    return [{ type: 'error', error: brokenAnswer(this.providerName, code, what) }];
  }
}

function indexOf({ index }: Record<string, unknown>): number {
  return typeof index === 'number' ? index : 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Every reason yet to come is `unknown`. */
function finishReason(raw: string): FinishReason {
  return (Object.hasOwn(reasons, raw) ? reasons[raw] : undefined) ?? 'unknown';
}

/** True where the generation broke off by no doing of the caller's. */
function isFailure(raw: string): boolean {
  return raw === 'ERROR' || raw === 'TIMEOUT';
}

/**
 * Maps Cohere's usage to ours; null when it counts nothing. `billed_units` is what Cohere charges for;
 * `tokens` also counts what Cohere itself puts around a prompt, and stands in only where nothing was billed
 * by tokens. Thoughts are part of the output and not told apart.
 * https://docs.cohere.com/docs/how-does-cohere-pricing-work
 */
function readUsage(usage: unknown): TokenUsage | null {
  const counts = [recordIn(usage, 'billed_units'), recordIn(usage, 'tokens')].map((units) => ({
    input: count(units.input_tokens),
    output: count(units.output_tokens),
  }));
  const told = counts.find(({ input, output }) => input + output > 0);
  if (told === undefined) return null;
  return {
    ...told,
    cachedInput: Math.min(told.input, count(isRecord(usage) ? usage.cached_tokens : 0)),
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    reasoning: 0,
    audioInput: 0,
    audioOutput: 0,
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/**
 * The message of a whole answer, as the events of a stream that sent each block in one piece.
 * https://docs.cohere.com/reference/chat#response.body.message
 */
function documentEvents(
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
