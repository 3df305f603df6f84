import { customInput } from '../canonical/custom-tool';
import type { GenerationEvent } from '../canonical/generation-event';
import type { ReasoningSeal } from '../canonical/generation-request';
import type { CallerTool } from './caller-tools';
import { compactionItem } from './compacted-item';
import { callItem, callItemId, callSealItem, reasoningItem, summaryPart } from './output-items';
import type { CalledTool, ItemEnding } from './output-items';

/** What a writer of an item is told. */
export type BlockEvent = Extract<GenerationEvent, { block: number }>;

/** Where items go: `add` announces one and gives its place, `done` ends it. */
export interface ItemOutput {
  newId: () => string;
  send(type: string, members: object): void;
  add(item: object): number;
  done(index: number, item: object): void;
}

/** A reasoning item: its text is shown as a summary, what seals it as its encrypted content. */
export class ReasoningItemWriter {
  private readonly id: string;
  private readonly index: number;
  private text: string | null = null;

  constructor(
    private readonly output: ItemOutput,
    id: string | undefined,
  ) {
    this.id = id ?? `rs_${output.newId()}`;
    this.index = output.add(reasoningItem(this.id, '', undefined));
  }

  take(event: BlockEvent): void {
    if (event.type === 'reasoning-delta') this.extend(event.text);
    if (event.type !== 'reasoning-end') return;
    if (this.text !== null) {
      this.send('response.reasoning_summary_text.done', { text: this.text });
      this.send('response.reasoning_summary_part.done', { part: summaryPart(this.text) });
    }
    this.output.done(this.index, reasoningItem(this.id, this.text ?? '', event.seal));
  }

  private extend(delta: string): void {
    if (delta === '') return;
    if (this.text === null) this.send('response.reasoning_summary_part.added', { part: summaryPart('') });
    this.text = (this.text ?? '') + delta;
    this.send('response.reasoning_summary_text.delta', { delta });
  }

  private send(type: string, members: object): void {
    this.output.send(type, { item_id: this.id, output_index: this.index, summary_index: 0, ...members });
  }
}

/** The item that stands for a conversation: its summary is told when it is whole, and never in part. */
export class CompactionItemWriter {
  private summary = '';
  private isClosed = false;

  constructor(private readonly output: ItemOutput) {}

  take(event: BlockEvent): void {
    if (event.type === 'text-delta') this.summary += event.text;
  }

  /** Half a summary is none: where the answer was cut off, no item is told. */
  close(ending: ItemEnding): boolean {
    if (this.isClosed || ending === 'incomplete' || this.summary === '') return this.isClosed;
    this.isClosed = true;
    const item = compactionItem(this.output.newId(), this.summary);
    this.output.done(this.output.add(item), item);
    return true;
  }
}

/**
 * A tool call. The free text of a custom tool lies inside JSON, so it is sent when that is whole; a search
 * comes whole in its item.
 */
export class CallItemWriter {
  private readonly id: string;
  private readonly index: number;
  private readonly called: CalledTool;
  private readonly kind: CallerTool['kind'];
  private signature: ReasoningSeal | undefined;

  constructor(
    private readonly output: ItemOutput,
    callId: string,
    tool: CallerTool,
  ) {
    this.id = callItemId(tool, output.newId());
    this.called = { callId, tool, arguments: '' };
    this.kind = tool.kind;
    this.index = output.add(callItem(this.id, 'in_progress', this.called));
  }

  take(event: BlockEvent): void {
    if (event.type === 'tool-call-start') this.signature = event.signature;
    if (event.type === 'tool-call-delta') this.extend(event.arguments);
    if (event.type !== 'tool-call-end') return;
    this.signature = event.signature ?? this.signature;
    if (this.kind === 'custom') this.endCustom();
    if (this.kind === 'function') this.endFunction();
  }

  /** Ends the item, after the end of its arguments. */
  close(ending: ItemEnding): void {
    this.output.done(this.index, callItem(this.id, ending, this.called));
    if (!this.signature) return;
    const item = callSealItem(`rs_${this.output.newId()}`, this.called.callId, this.signature);
    this.output.done(this.output.add(item), item);
  }

  private extend(text: string): void {
    this.called.arguments += text;
    if (this.kind === 'function' && text !== '') this.send('response.function_call_arguments.delta', { delta: text });
  }

  private endFunction(): void {
    const { called } = this;
    if (called.arguments === '') this.extend('{}');
    this.send('response.function_call_arguments.done', { name: called.tool.name, arguments: called.arguments });
  }

  private endCustom(): void {
    const input = customInput(this.called.arguments);
    if (input !== '') this.send('response.custom_tool_call_input.delta', { delta: input });
    this.send('response.custom_tool_call_input.done', { input });
  }

  private send(type: string, members: object): void {
    this.output.send(type, { item_id: this.id, output_index: this.index, ...members });
  }
}
