import { noUsage, type TokenUsage } from '@tollgate/contracts';
import type { AnswerContext, StreamWriter } from '../canonical/codec';
import type { GenerationEvent } from '../canonical/generation-event';
import { toUsage } from './answer-usage';
import { toStop } from './stop-reason';
import type { ReasoningSeal } from '../canonical/generation-request';
import { carriedText, noSeal } from '../canonical/carried-seal';
import { toCitation } from './to-citation';

type BlockEvent = Extract<GenerationEvent, { block: number }>;

/** A block that began while another was open: its events wait until it is its turn. */
interface Waiting {
  block: number;
  events: BlockEvent[];
}

/**
 * Writes a messages stream. Blocks go out one at a time and in the order in which they began, as the dialect
 * demands; what comes for a later one waits.
 * `message_start` tells the tokens of the input, by which clients see how full their context is, some by
 * nothing else: those that the provider has told by then, else about so many. `message_delta` tells the
 * provider's own.
 * https://github.com/sgl-project/sglang/issues/20678 https://github.com/ai-dynamo/dynamo/pull/7206
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export class MessagesStreamWriter implements StreamWriter {
  private out = '';
  private index = -1;
  private current: { block: number; writer: BlockWriter } | null = null;
  private readonly waiting: Waiting[] = [];
  private usage: TokenUsage | null = null;
  private hasStarted = false;
  private finish: Extract<GenerationEvent, { type: 'finish' }> | null = null;
  private refused = false;
  private calledTools = false;

  constructor(private readonly context: AnswerContext) {}

  write(event: GenerationEvent): string {
    this.out = '';
    this.take(event);
    return this.out;
  }

  private take(event: GenerationEvent): void {
    if ('choice' in event && event.choice !== 0) return;
    if (event.type !== 'start' && event.type !== 'usage' && event.type !== 'error') this.start();
    if ('block' in event) return this.takeBlockEvent(event);
    switch (event.type) {
      case 'usage':
        this.usage = event.usage;
        return;
      case 'finish':
        this.finish = event;
        return;
      case 'end':
        return this.end();
      case 'start':
      case 'error':
        return;
    }
  }

  /** Once, when something is to be said: providers that tell usage early do so right behind their start. */
  private start(): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    const { model, newId, inputTokensAbout: input = 0 } = this.context;
    this.event('message_start', {
      message: {
        id: `msg_${newId()}`,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: toUsage(this.usage ?? { ...noUsage, input }),
      },
    });
  }

  private takeBlockEvent(event: BlockEvent): void {
    this.refused ||= event.type === 'refusal-start';
    this.calledTools ||= event.type === 'tool-call-start';
    const { current } = this;
    if (current === null) return this.openBlock(event.block, [event]);
    if (event.block !== current.block) return this.wait(event);
    current.writer.take(event);
    if (current.writer.isDone) this.openNext();
  }

  private wait(event: BlockEvent): void {
    const known = this.waiting.find(({ block }) => block === event.block);
    if (known === undefined) this.waiting.push({ block: event.block, events: [event] });
    else known.events.push(event);
  }

  private openBlock(block: number, events: readonly BlockEvent[]): void {
    const writer = new BlockWriter(
      (type, members) => this.event(type, { index: this.index, ...members }),
      () => this.index++,
    );
    this.current = { block, writer };
    for (const event of events) writer.take(event);
    if (writer.isDone) this.openNext();
  }

  private openNext(): void {
    this.current = null;
    const next = this.waiting.shift();
    if (next !== undefined) this.openBlock(next.block, next.events);
  }

  private end(): void {
    const { refused, calledTools, finish } = this;
    const stopSequence = finish?.stopSequence;
    const ending = {
      reason: finish?.reason ?? 'unknown',
      refused,
      calledTools,
      ...(stopSequence === undefined ? {} : { stopSequence }),
    };
    this.event('message_delta', { delta: toStop(ending, this.context.request), usage: toUsage(this.usage) });
    this.event('message_stop', {});
  }

  private event(type: string, members: Record<string, unknown>): void {
    this.out += `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  }
}

type Write = (type: string, members: Record<string, unknown>) => void;

/**
 * Writes one content block from its canonical events. A text or thinking block begins with its first content,
 * so that none is empty: Anthropic refuses empty ones when they come back.
 */
class BlockWriter {
  private isOpen = false;
  private id: string | undefined;
  private signature: ReasoningSeal | undefined;
  isDone = false;

  /** `write` takes an event of the stream without its index; `begin` is called before a block starts. */
  constructor(
    private readonly write: Write,
    private readonly begin: () => void,
  ) {}

  take(event: BlockEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'refusal-delta':
        return this.text(event.text);
      case 'citation':
        return this.citation(event);
      case 'reasoning-start':
        this.id = event.id;
        return;
      case 'reasoning-delta':
        return this.thinking(event.text);
      case 'reasoning-end':
        return this.endReasoning(event.seal);
      case 'tool-call-start':
        this.id = event.id;
        this.signature = event.signature;
        return this.open({ type: 'tool_use', id: event.id, name: event.name, input: {} });
      case 'tool-call-delta':
        if (event.arguments !== '') this.delta({ type: 'input_json_delta', partial_json: event.arguments });
        return;
      case 'tool-call-end':
        return this.endCall(event.signature ?? this.signature);
      case 'text-end':
      case 'refusal-end':
        return this.close();
      case 'text-start':
      case 'refusal-start':
        return;
    }
  }

  private text(text: string): void {
    if (text === '') return;
    this.openText();
    this.delta({ type: 'text_delta', text });
  }

  private citation({ citation }: Extract<BlockEvent, { type: 'citation' }>): void {
    const shown = toCitation(citation);
    if (shown === null) return;
    this.openText();
    this.delta({ type: 'citations_delta', citation: shown });
  }

  private openText(): void {
    if (!this.isOpen) this.open({ type: 'text', text: '' });
  }

  private thinking(text: string): void {
    if (text === '') return;
    if (!this.isOpen) this.open({ type: 'thinking', thinking: '', signature: '' });
    this.delta({ type: 'thinking_delta', thinking: text });
  }

  private endReasoning(seal: ReasoningSeal | undefined): void {
    if (seal === undefined) return this.endUnsealed();
    const value = carriedText(seal, 'anthropic-messages', this.id === undefined ? {} : { id: this.id });
    if (!this.isOpen && seal.kind !== 'signature') this.open({ type: 'redacted_thinking', data: value });
    else {
      if (!this.isOpen) this.open({ type: 'thinking', thinking: '', signature: '' });
      this.delta({ type: 'signature_delta', signature: value });
    }
    this.close();
  }

  /** Clients keep thinking only with a signature, and some providers want it back although they make none. */
  private endUnsealed(): void {
    if (this.isOpen) this.delta({ type: 'signature_delta', signature: noSeal });
    this.close();
  }

  /**
   * This dialect has no place for the seal of a call, so it follows in a block that clients send back as it
   * is.
   */
  private endCall(signature: ReasoningSeal | undefined): void {
    this.finish();
    if (signature !== undefined && this.id !== undefined) {
      this.open({
        type: 'redacted_thinking',
        data: carriedText(signature, 'anthropic-messages', { toolCallId: this.id }),
      });
      this.finish();
    }
    this.isDone = true;
  }

  private open(block: Record<string, unknown>): void {
    this.begin();
    this.isOpen = true;
    this.write('content_block_start', { content_block: block });
  }

  private delta(delta: Record<string, unknown>): void {
    this.write('content_block_delta', { delta });
  }

  private close(): void {
    this.finish();
    this.isDone = true;
  }

  private finish(): void {
    if (this.isOpen) this.write('content_block_stop', {});
    this.isOpen = false;
  }
}
