import { afterInput, beforeInput, escapedInput } from '../canonical/custom-tool';
import type { GenerationEvent } from '../canonical/generation-event';

/** Reads the item of one call, of a function or of a custom tool. */
export class CallReader {
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
