import { customInput } from '../canonical/custom-tool';
import type { ReasoningSeal } from '../canonical/generation-request';
import type { CallerTool } from './caller-tools';
import type { BlockEvent, ItemOutput } from './item-output';
import { callItem, callItemId, callSealItem } from './output-items';
import type { CalledTool, ItemEnding } from './output-items';

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
