import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerContext, StreamWriter } from '../canonical/codec';
import { customForms, customInput } from '../canonical/custom-tool';
import type { Citation, GenerationEvent, TokenLogprob } from '../canonical/generation-event';
import type { TextSpan } from '../canonical/url-citation';
import { annotationOf, callSignature, finishReason, logprobsOf, reasoningDetail, usageOf } from './answer-words';

/** What a choice has shown so far: its tool calls are numbered in the order in which they begin. */
interface ShownChoice {
  calls: number;
  refused: boolean;
  /** Characters of its content. */
  length: number;
}

interface OpenCall {
  index: number;
  hasArguments: boolean;
  /**
   * The arguments so far of a call of a custom tool, whose free text lies inside JSON and is shown when that
   * is whole; null: a function's, which are shown as they come.
   */
  held: string | null;
  /** Where the name and the arguments stand. */
  form: 'custom' | 'function';
}

/** Writes a chat completion stream. https://platform.openai.com/docs/api-reference/chat-streaming */
export class ChunkWriter implements StreamWriter {
  private readonly id: string;
  private createdAtS: number;
  private readonly choices = new Map<number, ShownChoice>();
  private readonly opened = new Set<number>();
  private readonly calls = new Map<number, OpenCall>();
  /**
   * Where blocks of text stand in the content, and their sources, which are told in the order of the blocks
   * when all have ended.
   */
  private readonly texts = new Map<number, { choice: number; span: TextSpan; citations: Citation[] }>();
  /** The text of open blocks of reasoning: what seals it stands beside it. */
  private readonly thoughts = new Map<number, { text: string; id?: string }>();
  private readonly custom: ReturnType<typeof customForms>;
  private usage: TokenUsage | null = null;
  /**
   * What every chunk but that of the usage ends with: a caller who asked for the usage finds the member in
   * all of them. https://platform.openai.com/docs/api-reference/chat/create#chat_create-stream_options
   */
  private readonly noUsage: object;

  constructor(private readonly context: AnswerContext) {
    this.id = `chatcmpl-${context.newId()}`;
    this.createdAtS = context.nowS;
    this.noUsage = context.includeUsage ? { usage: null } : {};
    this.custom = customForms(context.body);
  }

  write(event: GenerationEvent): string {
    switch (event.type) {
      case 'start':
        this.createdAtS = event.createdAtS ?? this.createdAtS;
        return '';
      case 'usage':
        this.usage = event.usage;
        return '';
      case 'finish':
        return this.cite(event.choice) + this.finish(event);
      case 'end':
        return this.end();
      case 'error':
        return '';
      default:
        return this.writeBlockEvent(event);
    }
  }

  private writeBlockEvent(event: Extract<GenerationEvent, { block: number }>): string {
    switch (event.type) {
      case 'text-start':
        return this.startText(event);
      case 'text-delta':
        this.shown(event.choice).length += event.text.length;
        return this.delta(event.choice, { content: event.text }, event.logprobs);
      case 'refusal-delta':
        this.shown(event.choice).refused = true;
        return this.delta(event.choice, { refusal: event.text });
      case 'reasoning-start':
        this.thoughts.set(event.block, { text: '', ...(event.id !== undefined && { id: event.id }) });
        return '';
      case 'reasoning-delta':
        return this.think(event);
      case 'reasoning-end':
        return this.seal(event);
      case 'tool-call-start':
        return this.startCall(event);
      case 'tool-call-delta':
        return this.extendCall(event);
      case 'tool-call-end':
        return this.endCall(event);
      case 'citation':
        this.texts.get(event.block)?.citations.push(event.citation);
        return '';
      case 'text-end': {
        const text = this.texts.get(event.block);
        if (text) text.span.end = this.shown(event.choice).length;
        return '';
      }
      default:
        return '';
    }
  }

  private startText({ choice, block }: { choice: number; block: number }): string {
    const { length } = this.shown(choice);
    this.texts.set(block, { choice, span: { start: length, end: length }, citations: [] });
    return '';
  }

  private cite(choice: number): string {
    const annotations = [...this.texts.values()]
      .filter((text) => text.choice === choice)
      .flatMap(({ span, citations }) => citations.map((citation) => annotationOf(citation, span)))
      .filter((told) => told !== null);
    return annotations.length === 0 ? '' : this.delta(choice, { annotations });
  }

  private think({ choice, block, text }: { choice: number; block: number; text: string }): string {
    const thought = this.thoughts.get(block);
    if (thought) thought.text += text;
    return this.delta(choice, { reasoning_content: text });
  }

  private seal({ choice, block, seal }: Extract<GenerationEvent, { type: 'reasoning-end' }>): string {
    const thought = this.thoughts.get(block);
    this.thoughts.delete(block);
    if (!seal) return '';
    return this.delta(choice, { reasoning_details: [reasoningDetail(thought?.text ?? '', seal, thought?.id)] });
  }

  private startCall(event: Extract<GenerationEvent, { type: 'tool-call-start' }>): string {
    const index = this.shown(event.choice).calls++;
    const { name } = event;
    const held = this.custom.has(name) ? '' : null;
    const form = this.custom.get(name) ?? 'function';
    this.calls.set(event.block, { index, hasArguments: false, held, form });
    const called = { type: form, [form]: { name, [form === 'custom' ? 'input' : 'arguments']: '' } };
    const call = { index, id: event.id, ...called, ...callSignature(event.signature) };
    return this.delta(event.choice, { tool_calls: [call] });
  }

  private extendCall(event: Extract<GenerationEvent, { type: 'tool-call-delta' }>): string {
    const call = this.calls.get(event.block);
    if (!call || event.arguments === '') return '';
    call.hasArguments = true;
    if (call.held !== null) {
      call.held += event.arguments;
      return '';
    }
    return this.delta(event.choice, {
      tool_calls: [{ index: call.index, function: { arguments: event.arguments } }],
    });
  }

  /**
   * Arguments are always JSON here: a call without any has an empty object. Clients read `function` in every
   * delta of a call.
   */
  private endCall(event: Extract<GenerationEvent, { type: 'tool-call-end' }>): string {
    const call = this.calls.get(event.block);
    if (!call) return '';
    const signed = callSignature(event.signature);
    if (call.held !== null) {
      const { index, form } = call;
      const text = { [form === 'custom' ? 'input' : 'arguments']: customInput(call.held) };
      return this.delta(event.choice, { tool_calls: [{ index, [form]: text, ...signed }] });
    }
    if (call.hasArguments && Object.keys(signed).length === 0) return '';
    const rest = { arguments: call.hasArguments ? '' : '{}' };
    return this.delta(event.choice, { tool_calls: [{ index: call.index, function: rest, ...signed }] });
  }

  private finish({ choice, reason }: Extract<GenerationEvent, { type: 'finish' }>): string {
    const { refused } = this.shown(choice);
    const opening = this.opening(choice);
    return (
      opening + this.chunk([{ index: choice, delta: {}, logprobs: null, finish_reason: finishReason(reason, refused) }])
    );
  }

  private end(): string {
    const usage = this.context.includeUsage && this.usage ? this.chunk([], { usage: usageOf(this.usage) }) : '';
    return `${usage}data: [DONE]\n\n`;
  }

  private delta(choice: number, delta: Record<string, unknown>, logprobs?: readonly TokenLogprob[]): string {
    const shown = logprobs ? logprobsOf(logprobs) : null;
    return this.opening(choice) + this.chunk([{ index: choice, delta, logprobs: shown, finish_reason: null }]);
  }

  /** The first chunk of a choice names the role. */
  private opening(choice: number): string {
    if (this.opened.has(choice)) return '';
    this.opened.add(choice);
    const delta = { role: 'assistant', content: '', refusal: null };
    return this.chunk([{ index: choice, delta, logprobs: null, finish_reason: null }]);
  }

  private shown(choice: number): ShownChoice {
    let shown = this.choices.get(choice);
    if (!shown) this.choices.set(choice, (shown = { calls: 0, refused: false, length: 0 }));
    return shown;
  }

  private chunk(choices: unknown[], rest = this.noUsage): string {
    const { id, createdAtS: created } = this;
    const chunk = { id, object: 'chat.completion.chunk', created, model: this.context.model, choices, ...rest };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}
