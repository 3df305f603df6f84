import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerParser, ParseContext } from '../canonical/codec';
import type { FinishReason, GenerationEvent } from '../canonical/generation-event';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { isRecord, recordIn } from '../wire/json-value';
import { modelFamily, type ModelFamily } from './model-family';
import { BlockNumbers, OpenBlock } from './open-block';
import { readException } from './read-error';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_MessageStopEvent.html */
const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  stop_sequence: 'stop-sequence',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
  model_context_window_exceeded: 'context-length',
  refusal: 'refusal',
  pause_turn: 'pause',
};

/**
 * Reads the events of ConverseStream, or the document of Converse.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 */
export class ConverseAnswerParser implements AnswerParser {
  private readonly family: ModelFamily;
  private readonly providerName: string;
  private readonly numbers = new BlockNumbers();
  private readonly open = new Map<number, OpenBlock>();
  private started = false;
  private stopped = false;
  private ended = false;

  constructor(private readonly context: ParseContext) {
    this.family = modelFamily(context.target);
    this.providerName = context.target.provider.name;
  }

  onEvent(name: string, value: unknown): GenerationEvent[] {
    if (this.ended) return [];
    if (name === 'error' || name.endsWith('Exception'))
      return this.failed(readException(name, value, this.providerName));
    if (!isRecord(value)) return [];
    switch (name) {
      case 'messageStart':
        return this.start();
      case 'contentBlockStart':
        return this.blockStart(value);
      case 'contentBlockDelta':
        return this.blockDelta(value);
      case 'contentBlockStop':
        return this.blockStop(value);
      case 'messageStop':
        return this.messageStop(value);
      case 'metadata':
        return this.metadata(value);
      // What is yet to come is no reason to fail.
      default:
        return [];
    }
  }

  onDocument(value: unknown): GenerationEvent[] {
    const message = isRecord(value) ? recordIn(recordIn(value, 'output'), 'message') : {};
    if (!isRecord(value) || !Array.isArray(message.content) || typeof value.stopReason !== 'string') {
      return this.failed(brokenAnswer(this.providerName, 'bad_answer', 'sent a document that is no answer'));
    }
    return [
      ...this.start(),
      ...documentEvents(message.content, this.numbers, this.context.newId),
      ...this.messageStop(value),
      ...this.usage(value),
      ...this.end(),
    ];
  }

  /** The usage comes last; without it the answer is still whole. */
  onClose(): GenerationEvent[] {
    return this.stopped ? this.end() : [];
  }

  private start(): GenerationEvent[] {
    if (this.started) return [];
    this.started = true;
    return [{ type: 'start', id: null, model: null, createdAtS: null }];
  }

  /** Only tool calls are announced; text and reasoning begin with their first delta. */
  private blockStart(value: Record<string, unknown>): GenerationEvent[] {
    const { toolUseId, name } = recordIn(recordIn(value, 'start'), 'toolUse');
    if (typeof name !== 'string') return [];
    const id = typeof toolUseId === 'string' && toolUseId !== '' ? toolUseId : this.context.newId();
    return [...this.start(), ...this.block(value).toolCall(id, name)];
  }

  private blockDelta(value: Record<string, unknown>): GenerationEvent[] {
    return [...this.start(), ...this.block(value).delta(recordIn(value, 'delta'))];
  }

  private blockStop(value: Record<string, unknown>): GenerationEvent[] {
    const index = indexOf(value);
    const block = this.open.get(index);
    this.open.delete(index);
    return block?.end() ?? [];
  }

  private messageStop(value: Record<string, unknown>): GenerationEvent[] {
    const raw = typeof value.stopReason === 'string' ? value.stopReason : '';
    if (isBroken(raw)) return this.failed(brokenAnswer(this.providerName, raw, `could not finish its answer (${raw})`));
    const fields = recordIn(value, 'additionalModelResponseFields');
    const stopSequence = fields.stop_sequence ?? recordIn(fields, 'delta').stop_sequence;
    const left = [...this.open.values()].flatMap((block) => block.end());
    this.open.clear();
    this.stopped = true;
    const told = typeof stopSequence === 'string' ? { stopSequence } : {};
    return [...this.start(), ...left, { type: 'finish', choice: 0, reason: finishReason(raw), raw, ...told }];
  }

  private metadata(value: Record<string, unknown>): GenerationEvent[] {
    return [...this.usage(value), ...(this.stopped ? this.end() : [])];
  }

  private usage(value: Record<string, unknown>): GenerationEvent[] {
    const usage = readUsage(value.usage, this.family);
    return usage ? [{ type: 'usage', usage }] : [];
  }

  private end(): GenerationEvent[] {
    if (this.ended) return [];
    this.ended = true;
    return [{ type: 'end' }];
  }

  private failed(error: Extract<GenerationEvent, { type: 'error' }>['error']): GenerationEvent[] {
    this.ended = true;
    return [{ type: 'error', error }];
  }

  private block(value: Record<string, unknown>): OpenBlock {
    const index = indexOf(value);
    let block = this.open.get(index);
    if (!block) this.open.set(index, (block = new OpenBlock(this.numbers)));
    return block;
  }
}

function indexOf({ contentBlockIndex }: Record<string, unknown>): number {
  return typeof contentBlockIndex === 'number' ? contentBlockIndex : 0;
}

/**
 * True where the model failed to write an answer or a call that can be used, which is no end of an answer.
 */
function isBroken(stopReason: string): boolean {
  return stopReason === 'malformed_model_output' || stopReason === 'malformed_tool_use';
}

/** Every reason yet to come is `unknown`. */
function finishReason(stopReason: string): FinishReason {
  return (Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined) ?? 'unknown';
}

/**
 * Maps Converse's usage to ours; null when it tells nothing. What was read from or written to a cache is not
 * part of `inputTokens`
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html), except for OpenAI's models
 * (https://github.com/anomalyco/opencode/pull/47354).
 * Reasoning is part of `outputTokens` and not told apart:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
function readUsage(usage: unknown, family: ModelFamily): TokenUsage | null {
  if (!isRecord(usage)) return null;
  const cachedInput = count(usage.cacheReadInputTokens);
  const cacheWrite = count(usage.cacheWriteInputTokens);
  const told = count(usage.inputTokens);
  const input = family === 'openai' ? Math.max(told, cachedInput + cacheWrite) : told + cachedInput + cacheWrite;
  if (input === 0) return null;
  const cacheWrite1h = Math.min(cacheWrite, writtenForAnHour(usage.cacheDetails));
  return {
    input,
    output: count(usage.outputTokens),
    cachedInput,
    cacheWrite5m: cacheWrite - cacheWrite1h,
    cacheWrite1h,
    reasoning: 0,
    audioInput: 0,
    audioOutput: 0,
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CacheDetail.html */
function writtenForAnHour(details: unknown): number {
  if (!Array.isArray(details)) return 0;
  return details.reduce(
    (sum: number, detail) => sum + (isRecord(detail) && detail.ttl === '1h' ? count(detail.inputTokens) : 0),
    0,
  );
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/**
 * The content of a whole answer, as the events of a stream that sent each block in one piece.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
function documentEvents(content: readonly unknown[], numbers: BlockNumbers, newId: () => string): GenerationEvent[] {
  return content.flatMap((item) => {
    const block = new OpenBlock(numbers);
    return isRecord(item) ? [...blockEvents(item, block, newId), ...block.end()] : [];
  });
}

function blockEvents(item: Record<string, unknown>, block: OpenBlock, newId: () => string): GenerationEvent[] {
  if (isRecord(item.toolUse)) {
    const { toolUseId, name, input } = item.toolUse;
    if (typeof name !== 'string') return [];
    const id = typeof toolUseId === 'string' && toolUseId !== '' ? toolUseId : newId();
    return [...block.toolCall(id, name), ...block.delta({ toolUse: { input: JSON.stringify(input ?? {}) } })];
  }
  if (isRecord(item.reasoningContent)) {
    const { redactedContent } = item.reasoningContent;
    return block.delta({ reasoningContent: { ...recordIn(item.reasoningContent, 'reasoningText'), redactedContent } });
  }
  return isRecord(item.citationsContent) ? citedText(item.citationsContent, block) : block.delta(item);
}

function citedText({ content, citations }: Record<string, unknown>, block: OpenBlock): GenerationEvent[] {
  const texts = Array.isArray(content) ? content.filter(isRecord).flatMap((part) => block.delta(part)) : [];
  const sources = Array.isArray(citations) ? citations.flatMap((citation) => block.delta({ citation })) : [];
  return [...texts, ...sources];
}
