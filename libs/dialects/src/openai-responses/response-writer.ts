import type { TokenUsage } from '@tollgate/contracts';
import type { AnswerContext, StreamWriter } from '../canonical/codec';
import type { FinishReason, GenerationEvent, Citation, TokenLogprob } from '../canonical/generation-event';
import {
  CallItemWriter,
  CompactionItemWriter,
  ReasoningItemWriter,
  type BlockEvent,
  type ItemOutput,
} from './item-writers';
import { CallerTools } from './caller-tools';
import { type ItemEnding, annotationOf, logprobOf, messageItem, refusalPart, textPart } from './output-items';
import { responseObject, stateOf, type ResponseState } from './response-object';
import { asksForCompaction } from './summary-request';

type ItemWriter = MessageItemWriter | ReasoningItemWriter | CallItemWriter | CompactionItemWriter;

/**
 * Writes a responses stream: the response, its items in the order in which they began, and every event
 * numbered. https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponseWriter implements StreamWriter {
  private out = '';
  private sequence = 0;
  private readonly head: { id: string; createdAtS: number };
  private readonly items: object[] = [];
  private readonly writers = new Map<number, ItemWriter>();
  /** The message that text and refusals go to until an item of another kind begins. */
  private message: MessageItemWriter | CompactionItemWriter | null = null;
  private usage: TokenUsage | null = null;
  private finish: FinishReason = 'unknown';
  /** True once a part of the answer is a refusal. */
  private hasRefused = false;
  /** Calls whose arguments are over: what comes next tells whether the answer was cut off in the last one. */
  private ended: CallItemWriter[] = [];
  private readonly tools: CallerTools;
  private readonly isCompacting: boolean;
  private readonly output: ItemOutput;

  constructor(private readonly context: AnswerContext) {
    this.head = { id: `resp_${context.newId()}`, createdAtS: context.nowS };
    this.tools = new CallerTools(context.body);
    this.isCompacting = asksForCompaction(context.body);
    this.output = {
      newId: context.newId,
      send: (type, members) => this.event(type, members),
      add: (item) => this.add(item),
      done: (index, item) => this.done(index, item),
    };
  }

  write(event: GenerationEvent): string {
    this.out = '';
    if (!('choice' in event) || event.choice === 0) this.take(event);
    return this.out;
  }

  private take(event: GenerationEvent): void {
    if ('block' in event) return this.takeBlockEvent(event);
    switch (event.type) {
      case 'start':
        return this.start(event.createdAtS);
      case 'usage':
        this.usage = event.usage;
        return;
      case 'finish':
        this.finish = event.reason;
        return this.closeLast(
          stateOf(event.reason, this.hasRefused).status === 'incomplete' ? 'incomplete' : 'completed',
        );
      case 'end':
        return this.end();
      default:
        return;
    }
  }

  private start(createdAtS: number | null): void {
    this.head.createdAtS = createdAtS ?? this.head.createdAtS;
    const response = this.response({ status: 'in_progress', reason: null });
    this.event('response.created', { response });
    this.event('response.in_progress', { response });
  }

  private takeBlockEvent(event: BlockEvent): void {
    if (event.type !== 'tool-call-end') this.closeEnded('completed');
    if (event.type === 'refusal-start') this.hasRefused = true;
    const writer = this.writers.get(event.block) ?? this.begin(event);
    writer?.take(event);
    if (event.type === 'tool-call-end' && writer instanceof CallItemWriter) this.ended.push(writer);
  }

  private begin(event: BlockEvent): ItemWriter | null {
    const writer = this.writerFor(event);
    if (writer) this.writers.set(event.block, writer);
    return writer;
  }

  private writerFor(event: BlockEvent): ItemWriter | null {
    switch (event.type) {
      case 'text-start':
      case 'refusal-start':
        this.message ??= this.isCompacting ? new CompactionItemWriter(this.output) : new MessageItemWriter(this.output);
        return this.message;
      case 'reasoning-start':
        this.closeMessage();
        return new ReasoningItemWriter(this.output, event.id);
      case 'tool-call-start':
        this.closeMessage();
        return new CallItemWriter(this.output, event.id, this.tools.named(event.name));
      default:
        return null;
    }
  }

  /** A message with parts still open goes on beside the next item. */
  private closeMessage(): void {
    if (this.message?.close('completed')) this.message = null;
  }

  private closeEnded(last: ItemEnding): void {
    const ended = this.ended;
    this.ended = [];
    for (const [index, call] of ended.entries()) call.close(index === ended.length - 1 ? last : 'completed');
  }

  /** The item that an answer was cut off in is the last one that was still open. */
  private closeLast(ending: ItemEnding): void {
    const isCall = this.ended.length > 0;
    this.message?.close(isCall ? 'completed' : ending);
    this.closeEnded(ending);
  }

  private end(): void {
    const state = stateOf(this.finish, this.hasRefused);
    this.event(state.status === 'incomplete' ? 'response.incomplete' : 'response.completed', {
      response: this.response(state),
    });
  }

  private response(state: ResponseState): object {
    return responseObject(this.context, this.head, state, this.items, this.usage);
  }

  private add(item: object): number {
    const index = this.items.push(item) - 1;
    this.event('response.output_item.added', { output_index: index, item });
    return index;
  }

  private done(index: number, item: object): void {
    this.items[index] = item;
    this.event('response.output_item.done', { output_index: index, item });
  }

  private event(type: string, members: object): void {
    this.out += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.sequence++, ...members })}\n\n`;
  }
}

interface OpenPart {
  kind: 'text' | 'refusal';
  index: number;
  text: string;
  /** Told when the text is whole: until then nobody knows where it ends. */
  citations: Citation[];
  annotations: object[];
  logprobs: TokenLogprob[];
  isOpen: boolean;
}

/** A message: every block of text or refusal is one of its parts. */
class MessageItemWriter {
  private readonly id: string;
  private readonly index: number;
  private readonly parts = new Map<number, OpenPart>();
  private isClosed = false;

  constructor(private readonly output: ItemOutput) {
    this.id = `msg_${output.newId()}`;
    this.index = output.add(messageItem(this.id, 'in_progress', []));
  }

  take(event: BlockEvent): void {
    const part = this.parts.get(event.block);
    switch (event.type) {
      case 'text-start':
        return this.begin(event.block, 'text');
      case 'refusal-start':
        return this.begin(event.block, 'refusal');
      case 'text-delta':
        return part && this.extend(part, event.text, event.logprobs ?? []);
      case 'refusal-delta':
        return part && this.extend(part, event.text, []);
      case 'citation':
        part?.citations.push(event.citation);
        return;
      case 'text-end':
      case 'refusal-end':
        return part && this.end(part);
      default:
        return;
    }
  }

  /** Ends the item once all its parts have ended; true when it is over. */
  close(ending: ItemEnding): boolean {
    const parts = [...this.parts.values()];
    if (this.isClosed || parts.some(({ isOpen }) => isOpen)) return this.isClosed;
    this.isClosed = true;
    this.output.done(this.index, messageItem(this.id, ending, parts.map(partOf)));
    return true;
  }

  private begin(block: number, kind: OpenPart['kind']): void {
    const part: OpenPart = {
      kind,
      index: this.parts.size,
      text: '',
      citations: [],
      annotations: [],
      logprobs: [],
      isOpen: true,
    };
    this.parts.set(block, part);
    this.send('response.content_part.added', part, { part: partOf(part) });
  }

  private extend(part: OpenPart, delta: string, logprobs: readonly TokenLogprob[]): void {
    part.text += delta;
    part.logprobs.push(...logprobs);
    if (part.kind === 'refusal') return this.send('response.refusal.delta', part, { delta });
    this.send('response.output_text.delta', part, { delta, logprobs: logprobs.map(logprobOf) });
  }

  private annotate(part: OpenPart, citation: Citation): void {
    const annotation = annotationOf(citation, part.text.length);
    if (annotation === null) return;
    const place = part.annotations.push(annotation) - 1;
    this.send('response.output_text.annotation.added', part, { annotation_index: place, annotation });
  }

  private end(part: OpenPart): void {
    part.isOpen = false;
    for (const citation of part.citations) this.annotate(part, citation);
    const { kind, text, logprobs } = part;
    if (kind === 'refusal') this.send('response.refusal.done', part, { refusal: text });
    else this.send('response.output_text.done', part, { text, logprobs: logprobs.map(logprobOf) });
    this.send('response.content_part.done', part, { part: partOf(part) });
  }

  private send(type: string, { index }: OpenPart, members: object): void {
    this.output.send(type, { item_id: this.id, output_index: this.index, content_index: index, ...members });
  }
}

function partOf({ kind, text, annotations, logprobs }: OpenPart): object {
  return kind === 'refusal' ? refusalPart(text) : textPart(text, annotations, logprobs);
}
