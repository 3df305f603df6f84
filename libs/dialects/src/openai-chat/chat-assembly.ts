import type { StreamAssembly } from '../canonical/gathered-stream';
import { isRecord } from '../wire/json-value';
import { mergeDelta } from '../wire/merge-delta';

/**
 * Puts the chunks of a chat completion together, without log probabilities.
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatAssembly implements StreamAssembly {
  private top: Record<string, unknown> | null = null;
  private readonly choices = new Map<unknown, Record<string, unknown>>();

  add(_name: string, { choices, object: _, ...rest }: Record<string, unknown>): void {
    this.top ??= {};
    for (const [name, value] of Object.entries(rest)) if (value !== null) this.top[name] = value;
    if (!Array.isArray(choices)) return;
    for (const choice of choices as unknown[]) if (isRecord(choice)) this.addChoice(choice);
  }

  answer(): Record<string, unknown> | null {
    return this.top && { object: 'chat.completion', ...this.top, choices: [...this.choices.values()] };
  }

  private addChoice({ index = 0, delta, finish_reason: finish }: Record<string, unknown>): void {
    const message = {};
    const choice = this.choices.get(index) ?? { index, message, finish_reason: null };
    this.choices.set(index, choice);
    if (isRecord(delta)) mergeDelta(choice, { message: delta });
    if (typeof finish === 'string') choice.finish_reason = finish;
  }
}
