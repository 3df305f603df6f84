import type { GenerationEvent, TokenLogprob } from '../canonical/generation-event';
import { isRecord, recordIn } from '../wire/json-value';
import { afterInput, beforeInput, escapedInput } from '../canonical/custom-tool';

/** What the items of one answer share, and what the answer must know of them. */
export interface ItemContext {
  /**
   * Its organisation alone can open what it has sealed: https://github.com/openai/codex/issues/9045 Absent:
   * not known.
   */
  sealer?: string;
  nextBlock: () => number;
  newId: () => string;
  onRefusal: () => void;
  onCall: () => void;
  onOwnTool: () => void;
}

interface OpenBlock {
  kind: 'text' | 'refusal' | 'reasoning';
  block: number;
  /** How much of it came as deltas: what its end says beyond that is still to be told. */
  length: number;
  /** How many of its sources were told. */
  cited: number;
}

/**
 * Reads one item: a message with its parts, reasoning, or a call. Items of OpenAI's own tools give no events.
 */
export class ItemReader {
  private readonly kind: unknown;
  private readonly parts = new Map<number, OpenBlock>();
  private call: CallReader | null = null;
  private isOpen = false;
  private isOver = false;

  constructor(
    private readonly item: Record<string, unknown>,
    private readonly context: ItemContext,
  ) {
    this.kind = item.type;
  }

  open(): GenerationEvent[] {
    if (this.isOpen) return [];
    this.isOpen = true;
    if (this.kind === 'message' || this.kind === 'reasoning') return [];
    if (this.kind !== 'function_call' && this.kind !== 'custom_tool_call') {
      this.context.onOwnTool();
      return [];
    }
    this.context.onCall();
    this.call = new CallReader(this.item, this.context.nextBlock());
    return this.call.open(this.context.newId);
  }

  /** Another item begins: reasoning that is still to come keeps its place before it. */
  keepPlace(): GenerationEvent[] {
    return this.kind === 'reasoning' && !this.isOver && this.parts.size === 0 ? this.begin('reasoning', 0) : [];
  }

  /** Any event of this item between its beginning and its end. */
  take(type: string, value: Record<string, unknown>): GenerationEvent[] {
    const { delta } = value;
    const place = typeof value.content_index === 'number' ? value.content_index : 0;
    switch (type) {
      case 'response.content_part.added':
        return this.kind === 'message' ? this.begin(partKind(recordIn(value, 'part')), place) : [];
      case 'response.output_text.delta':
        return this.say('text', place, delta, readLogprobs(value.logprobs));
      case 'response.refusal.delta':
        return this.say('refusal', place, delta);
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return this.say('reasoning', reasoningPlace(value), delta);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.call?.extend(delta) ?? [];
      case 'response.output_text.annotation.added':
        return this.cite(place, [value.annotation]);
      default:
        return [];
    }
  }

  /** `item` is whole: what no delta told comes from it. */
  close(item: Record<string, unknown>): GenerationEvent[] {
    if (this.isOver) return [];
    this.isOver = true;
    if (this.call) return this.call.close(item);
    if (this.kind === 'message') return this.closeMessage(item);
    return this.kind === 'reasoning' ? this.closeReasoning(item) : [];
  }

  private say(kind: OpenBlock['kind'], place: number, text: unknown, logprobs: TokenLogprob[] = []): GenerationEvent[] {
    if (typeof text !== 'string' || text === '') return [];
    const begun = this.begin(kind, place);
    const open = this.parts.get(place);
    if (!open) return [];
    open.length += text.length;
    const said = { choice: 0, block: open.block, text };
    if (kind !== 'text') return [...begun, { type: `${kind}-delta`, ...said }];
    return [...begun, { type: 'text-delta', ...said, ...(logprobs.length > 0 && { logprobs }) }];
  }

  private begin(kind: OpenBlock['kind'], place: number): GenerationEvent[] {
    const first = kind === 'reasoning' ? [...this.parts.values()][0] : undefined;
    if (this.parts.has(place)) return [];
    if (kind === 'refusal') this.context.onRefusal();
    // The parts of a summary are one block, a blank line apart.
    if (first) {
      this.parts.set(place, first);
      return first.length === 0 ? [] : [{ type: 'reasoning-delta', choice: 0, block: first.block, text: '\n\n' }];
    }
    const block = this.context.nextBlock();
    this.parts.set(place, { kind, block, length: 0, cited: 0 });
    const { id } = this.item;
    if (kind !== 'reasoning') return [{ type: `${kind}-start`, choice: 0, block }];
    return [{ type: 'reasoning-start', choice: 0, block, ...(typeof id === 'string' && { id }) }];
  }

  private cite(place: number, annotations: readonly unknown[]): GenerationEvent[] {
    const open = this.parts.get(place);
    if (!open) return [];
    open.cited += annotations.length;
    return annotations.filter(isRecord).map((original) => ({
      type: 'citation',
      choice: 0,
      block: open.block,
      citation: {
        dialect: 'openai-responses',
        url: typeof original.url === 'string' ? original.url : null,
        title: typeof original.title === 'string' ? original.title : null,
        original,
      },
    }));
  }

  private closeMessage(item: Record<string, unknown>): GenerationEvent[] {
    const content: unknown[] = Array.isArray(item.content) ? item.content : [];
    return content.flatMap((part, place) => (isRecord(part) ? this.closePart(part, place) : []));
  }

  private closePart(part: Record<string, unknown>, place: number): GenerationEvent[] {
    const kind = partKind(part);
    const whole = kind === 'refusal' ? part.refusal : part.text;
    if (typeof whole !== 'string') return [];
    const wasOpen = this.parts.has(place);
    const begun = this.begin(kind, place);
    const open = this.parts.get(place);
    if (!open) return [];
    const rest = this.say(kind, place, whole.slice(open.length), wasOpen ? [] : readLogprobs(part.logprobs));
    const annotations: unknown[] = Array.isArray(part.annotations) ? part.annotations : [];
    const cited = this.cite(place, annotations.slice(open.cited));
    return [...begun, ...rest, ...cited, { type: `${kind}-end`, choice: 0, block: open.block }];
  }

  private closeReasoning(item: Record<string, unknown>): GenerationEvent[] {
    const parts = [...textsOf(item.summary), ...textsOf(item.content)];
    const isTold = [...this.parts.values()].some(({ length }) => length > 0);
    const untold = isTold ? [] : parts.flatMap((text, place) => this.say('reasoning', place, text));
    const sealed = typeof item.encrypted_content === 'string' ? item.encrypted_content : null;
    const begun = this.parts.size === 0 && sealed !== null ? this.begin('reasoning', 0) : [];
    const open = [...this.parts.values()][0];
    if (!open) return [];
    const end = { type: 'reasoning-end', choice: 0, block: open.block } as const;
    if (sealed === null) return [...untold, ...begun, end];
    const { sealer: madeBy } = this.context;
    const seal = {
      dialect: 'openai-responses',
      kind: 'encrypted',
      value: sealed,
      ...(madeBy !== undefined && { madeBy }),
    } as const;
    return [...untold, ...begun, { ...end, seal }];
  }
}

function partKind({ type }: Record<string, unknown>): 'text' | 'refusal' {
  return type === 'refusal' ? 'refusal' : 'text';
}

/** Parts of a summary and of the reasoning itself are numbered apart. */
function reasoningPlace({ summary_index: summary, content_index: content }: Record<string, unknown>): number {
  if (typeof summary === 'number') return summary;
  return 1_000 + (typeof content === 'number' ? content : 0);
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []));
}

/** Reads the item of one call, of a function or of a custom tool. */
class CallReader {
  private readonly isCustom: boolean;
  /** How many characters came as deltas: what the end of the item says beyond them is still to be told. */
  private told = 0;

  constructor(
    private readonly item: Record<string, unknown>,
    private readonly block: number,
  ) {
    this.isCustom = item.type === 'custom_tool_call';
  }

  /** `newId` makes an id for a call that came without one. */
  open(newId: () => string): GenerationEvent[] {
    const { call_id: callId, name } = this.item;
    const id = typeof callId === 'string' && callId !== '' ? callId : `call_${newId()}`;
    const start = { choice: 0, block: this.block, id, name: typeof name === 'string' ? name : '' };
    return [{ type: 'tool-call-start', ...start }, ...(this.isCustom ? this.tell(beforeInput) : [])];
  }

  /** A piece of the arguments, or of the free text, which is escaped as it comes. */
  extend(delta: unknown): GenerationEvent[] {
    if (typeof delta !== 'string') return [];
    this.told += delta.length;
    return this.tell(this.isCustom ? escapedInput(delta) : delta);
  }

  /** `item` is whole. */
  close(item: Record<string, unknown>): GenerationEvent[] {
    const whole = this.isCustom ? item.input : item.arguments;
    const rest = typeof whole === 'string' ? this.extend(whole.slice(this.told)) : [];
    const end = this.isCustom ? this.tell(afterInput) : [];
    return [...rest, ...end, { type: 'tool-call-end', choice: 0, block: this.block }];
  }

  private tell(text: string): GenerationEvent[] {
    return text === '' ? [] : [{ type: 'tool-call-delta', choice: 0, block: this.block, arguments: text }];
  }
}

/**
 * https://platform.openai.com/docs/api-reference/responses-streaming/response/output_text/delta#responses-streaming-response-output_text-delta-logprobs
 */
function readLogprobs(logprobs: unknown): TokenLogprob[] {
  if (!Array.isArray(logprobs)) return [];
  return logprobs.flatMap((item: unknown) => {
    const head = readToken(item);
    if (!head || !isRecord(item)) return [];
    const { top_logprobs: top } = item;
    return [{ ...head, top: Array.isArray(top) ? top.flatMap((each: unknown) => readToken(each) ?? []) : [] }];
  });
}

function readToken(item: unknown): Omit<TokenLogprob, 'top'> | null {
  if (!isRecord(item) || typeof item.token !== 'string' || typeof item.logprob !== 'number') return null;
  const bytes = Array.isArray(item.bytes) ? item.bytes.filter((byte) => typeof byte === 'number') : null;
  return { token: item.token, logprob: item.logprob, bytes };
}
