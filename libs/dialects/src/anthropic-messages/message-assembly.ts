import type { StreamAssembly } from '../canonical/gathered-stream';
import { isRecord, parseJson, recordIn } from '../wire/json-value';
import { mergeDelta } from '../wire/merge-delta';

/** A block, and the JSON of its input as far as it came; null: it has none. */
interface Block {
  readonly content: Record<string, unknown>;
  input: string | null;
}

/** Puts the events of a message together. https://platform.claude.com/docs/en/build-with-claude/streaming */
export class MessageAssembly implements StreamAssembly {
  private message: Record<string, unknown> | null = null;
  private readonly blocks = new Map<unknown, Block>();

  add(_name: string, event: Record<string, unknown>): void {
    switch (event.type) {
      case 'message_start':
        this.message = { ...recordIn(event, 'message') };
        return;
      case 'content_block_start':
        this.blocks.set(event.index, { content: { ...recordIn(event, 'content_block') }, input: null });
        return;
      case 'content_block_delta':
        return addDelta(this.blocks.get(event.index), recordIn(event, 'delta'));
      case 'message_delta':
        this.message = { ...this.message, ...recordIn(event, 'delta'), usage: this.usageWith(event.usage) };
        return;
      case 'error':
        this.message = { ...this.message, error: event.error };
    }
  }

  answer(): Record<string, unknown> | null {
    if (!this.message && this.blocks.size === 0) return null;
    return { ...this.message, content: [...this.blocks.values()].map(toContent) };
  }

  private usageWith(more: unknown): Record<string, unknown> {
    return { ...recordIn(this.message ?? {}, 'usage'), ...(isRecord(more) ? more : {}) };
  }
}

function addDelta(block: Block | undefined, { type: _, ...delta }: Record<string, unknown>): void {
  if (!block) return;
  const { partial_json: json, citation, ...rest } = delta;
  if (typeof json === 'string') block.input = (block.input ?? '') + json;
  // A list would be merged into what a block begins with, which may be null.
  if (citation !== undefined) {
    const { citations: before } = block.content;
    block.content.citations = [...(Array.isArray(before) ? (before as unknown[]) : []), citation];
  }
  mergeDelta(block.content, rest);
}

/** Input that was cut off is told as the text that it is. */
function toContent({ content, input }: Block): Record<string, unknown> {
  return input === null || input === '' ? content : { ...content, input: parseJson(input) ?? input };
}
