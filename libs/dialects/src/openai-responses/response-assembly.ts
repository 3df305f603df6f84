import type { StreamAssembly } from '../canonical/gathered-stream';
import { isRecord } from '../wire/json-value';

/** An item of the output, and the text of it that came since it was told. */
interface Item {
  readonly content: Record<string, unknown>;
  text: string;
}

/**
 * Puts the events of a response together: the last that holds the response tells all of it, unless it was cut
 * off before. https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponseAssembly implements StreamAssembly {
  private response: Record<string, unknown> | null = null;
  private readonly items = new Map<unknown, Item>();

  add(name: string, event: Record<string, unknown>): void {
    const { response, item, output_index: index, delta } = event;
    if (isRecord(response)) this.response = response;
    else if (isRecord(item)) this.items.set(index, { content: item, text: '' });
    else if (typeof delta === 'string') this.addText(index, delta);
    else if ((event.type ?? name) === 'error') this.response = { ...this.response, error: event.error ?? event };
  }

  /** An item that was cut off has what came of it in `partial`. */
  answer(): Record<string, unknown> | null {
    const { response, items } = this;
    if (!response || items.size === 0 || (Array.isArray(response.output) && response.output.length > 0))
      return response;
    const output = [...items.values()].map(({ content, text }) => (text ? { ...content, partial: text } : content));
    return { ...response, output };
  }

  private addText(index: unknown, text: string): void {
    const item = this.items.get(index);
    if (item) item.text += text;
  }
}
