import { noUsage } from '@tollgate/contracts';
import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerParser, ParseContext } from '../canonical/codec';
import type { FinishReason, GenerationEvent } from '../canonical/generation-event';
import { served } from '../canonical/served-terms';
import { brokenAnswer } from '../upstream-error/broken-answer';
import { isRecord, recordIn, textIn } from '../wire/json-value';
import { BlockReader } from './block-reader';
import { HostedUses } from './hosted-uses';
import { readErrorInAnswer } from './read-error';
import { UsageReader } from './read-usage';
import { readStopReason } from './stop-reason';
import { planStructuredOutput } from './structured-output';

/**
 * A refusal before any output tells its tokens and is not billed.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback
 */
const notBilled: GenerationEvent = { type: 'usage', usage: noUsage };

/**
 * Reads an answer of this dialect. Pings and what Anthropic may add later are passed over, as it asks.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class MessagesAnswerParser implements AnswerParser {
  private readonly usage: UsageReader;
  private readonly open = new Map<number, BlockReader>();
  private readonly answerTool: string | null;
  private readonly hosted = new HostedUses();
  private hasStarted = false;
  private hasFinished = false;
  private isOver = false;
  private calledTools = false;
  /** How many blocks there were. */
  private blocks = 0;
  /** As told so far. */
  private outputTokens = 0;

  constructor(private readonly context: ParseContext) {
    this.usage = new UsageReader(context.target.upstreamModel);
    const plan = planStructuredOutput(context.request, context.target);
    this.answerTool = plan?.way === 'tool' ? plan.name : null;
  }

  /** Of a stream before its end, which tells it all. */
  get served(): TokenUsage['served'] {
    return served({ units: this.hosted.units }).served;
  }

  onEvent(name: string, value: unknown): GenerationEvent[] {
    if (this.isOver || !isRecord(value)) return [];
    switch (value.type ?? name) {
      case 'message_start':
        return this.onStart(recordIn(value, 'message'));
      case 'content_block_start':
        return this.onBlockStart(value.index, recordIn(value, 'content_block'));
      case 'content_block_delta':
        return this.reader(value.index)?.delta(recordIn(value, 'delta')) ?? [];
      case 'content_block_stop':
        return this.onBlockStop(value.index);
      case 'message_delta':
        return [...this.onUsage(value.usage), ...this.onStop(recordIn(value, 'delta'))];
      case 'message_stop':
        return this.onEnd();
      case 'error':
        return this.onError(value);
      default:
        return isRecord(value.error) ? this.onError(value) : [];
    }
  }

  onDocument(value: unknown): GenerationEvent[] {
    if (!isRecord(value) || value.type === 'error' || isRecord(value.error)) return this.onError(value);
    if (!Array.isArray(value.content)) return [this.broken('gave an answer without content')];
    const blocks = value.content.flatMap((block, index) =>
      isRecord(block) ? [...this.onBlockStart(index, block), ...this.onBlockStop(index)] : [],
    );
    return [...this.onStart(value), ...blocks, ...this.onStop(value), ...this.onEnd()];
  }

  onClose(): GenerationEvent[] {
    return [];
  }

  private onStart(message: Record<string, unknown>): GenerationEvent[] {
    if (this.hasStarted) return [];
    this.hasStarted = true;
    const id = typeof message.id === 'string' ? message.id : null;
    const model = typeof message.model === 'string' ? message.model : null;
    return [{ type: 'start', id, model, createdAtS: null }, ...this.onUsage(message.usage)];
  }

  private onBlockStart(index: unknown, start: Record<string, unknown>): GenerationEvent[] {
    if (typeof index !== 'number') return [];
    this.blocks = Math.max(this.blocks, index + 1);
    const reader = new BlockReader(index, start, this.answerTool);
    this.open.set(index, reader);
    this.hosted.note(start);
    const events = reader.open(this.context.newId);
    this.calledTools ||= events.some(({ type }) => type === 'tool-call-start');
    return events;
  }

  private onBlockStop(index: unknown): GenerationEvent[] {
    const events = this.reader(index)?.close() ?? [];
    if (typeof index === 'number') this.open.delete(index);
    return events;
  }

  private onUsage(told: unknown): GenerationEvent[] {
    const usage = this.usage.add(told);
    this.outputTokens = usage?.output ?? this.outputTokens;
    return usage === null ? [] : [{ type: 'usage', usage }];
  }

  private onStop({
    stop_reason: raw,
    stop_sequence: stopSequence,
    stop_details: details,
  }: Record<string, unknown>): GenerationEvent[] {
    if (typeof raw !== 'string' || this.hasFinished) return [];
    this.hasFinished = true;
    return [
      ...(raw === 'refusal' && this.outputTokens === 0 ? [notBilled] : []),
      ...this.closeAll(),
      // Behind words of the answer it would make half an answer look like a whole one.
      ...(raw === 'refusal' && this.blocks === 0 ? refusalOf(details) : []),
      {
        type: 'finish',
        choice: 0,
        reason: this.reasonOf(raw),
        raw,
        ...(typeof stopSequence === 'string' ? { stopSequence } : {}),
      },
    ];
  }

  /** The tool that gives the answer as JSON is no tool to the caller. */
  private reasonOf(raw: string): FinishReason {
    const reason = readStopReason(raw);
    return reason === 'tool-calls' && this.answerTool !== null && !this.calledTools ? 'stop' : reason;
  }

  private onEnd(): GenerationEvent[] {
    if (!this.hasFinished) return [this.broken('ended its answer without a stop reason')];
    this.isOver = true;
    return [{ type: 'end' }];
  }

  private onError(value: unknown): GenerationEvent[] {
    this.isOver = true;
    return [{ type: 'error', error: readErrorInAnswer(value, this.context.target.provider.name) }];
  }

  private closeAll(): GenerationEvent[] {
    const events = [...this.open.values()].flatMap((reader) => reader.close());
    this.open.clear();
    return events;
  }

  private reader(index: unknown): BlockReader | undefined {
    return typeof index === 'number' ? this.open.get(index) : undefined;
  }

  /** `what` completes "<provider> …". */
  private broken(what: string): GenerationEvent {
    this.isOver = true;
    return { type: 'error', error: brokenAnswer(this.context.target.provider.name, 'malformed_answer', what) };
  }
}

/**
 * Why a request was declined, as words of the answer, which other dialects have a place for; none where only
 * the decision is told. https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
function refusalOf(details: unknown): GenerationEvent[] {
  const explanation = textIn(details, 'explanation');
  const category = textIn(details, 'category');
  if (explanation === null && category === null) return [];
  const words = explanation ?? 'The request was declined.';
  const at = { choice: 0, block: 0 };
  return [
    { type: 'refusal-start', ...at },
    { type: 'refusal-delta', ...at, text: category === null ? words : `${words} (${category})` },
    { type: 'refusal-end', ...at },
  ];
}
