import { noUsage } from '@tollgate/contracts';
import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerContext, StreamWriter } from '../canonical/codec';
import type { GenerationEvent } from '../canonical/generation-event';
import { toUsage } from './answer-usage';
import { BlockWriter } from './block-writer';
import { toStop } from './stop-reason';

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
