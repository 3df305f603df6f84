import type { StreamAssembly } from '../canonical/gathered-stream';
import { isRecord } from '../wire/json-value';

/**
 * Puts the chunks of a text completion together: they have the form of the whole answer, with a piece of the
 * text.
 */
export class TextAssembly implements StreamAssembly {
  private top: Record<string, unknown> | null = null;
  private readonly choices = new Map<unknown, Record<string, unknown>>();

  add(_name: string, { choices, ...rest }: Record<string, unknown>): void {
    this.top ??= {};
    for (const [name, value] of Object.entries(rest)) if (value !== null) this.top[name] = value;
    if (!Array.isArray(choices)) return;
    for (const choice of choices as unknown[]) if (isRecord(choice)) this.addChoice(choice);
  }

  answer(): Record<string, unknown> | null {
    return this.top && { ...this.top, choices: [...this.choices.values()] };
  }

  private addChoice({ index = 0, text, finish_reason: finish }: Record<string, unknown>): void {
    const choice = this.choices.get(index) ?? { index, text: '', finish_reason: null };
    this.choices.set(index, choice);
    if (typeof text === 'string') choice.text = `${String(choice.text)}${text}`;
    if (typeof finish === 'string') choice.finish_reason = finish;
  }
}
