import type { AnswerParser, ParseContext } from '../canonical/codec';
import type { GenerationEvent } from '../canonical/generation-event';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { isRecord, recordIn } from '../wire/json-value';
import { documentEvents } from './document-events';
import { finishReason, isBroken } from './finish-reason';
import { modelFamily, type ModelFamily } from './model-family';
import { BlockNumbers, OpenBlock } from './open-block';
import { readException } from './read-error';
import { readUsage } from './read-usage';

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
