import { createHash } from 'node:crypto';
import type { CacheControl, MessagePart, ToolCallPart, ToolResultPart } from '../canonical/generation-request';
import { isRecord, parseJson } from '../wire/json-value';
import { audioBlock, fileBlock, imageBlock } from './media-block';
import type { ModelFamily } from './model-family';

/** A content block of Converse. */
export type Block = Record<string, unknown>;

/** Where a cache point would stand. */
type Place = 'messages' | 'tools';

/**
 * Writes the parts of messages as content blocks. One per request: it numbers files and gathers warnings,
 * each told once.
 */
export class ContentWriter {
  private readonly told = new Set<string>();
  private files = 0;

  constructor(readonly family: ModelFamily) {}

  get warnings(): string[] {
    return [...this.told];
  }

  warn(text: string): void {
    this.told.add(text);
  }

  /**
   * The blocks of one part: none where it holds nothing that Bedrock takes (blank text, another provider's
   * sealed reasoning).
   */
  blocks(part: MessagePart): Block[] {
    const blocks = this.contentOf(part);
    if (part.cacheControl && blocks.length > 0) blocks.push(...this.cachePoint(part.cacheControl, 'messages'));
    return blocks;
  }

  /**
   * Models without prompt caching refuse cache points; Nova takes none among tools and knows no one-hour
   * cache.
   * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
   */
  cachePoint({ ttl }: CacheControl, place: Place): Block[] {
    if (this.family === 'claude')
      return [{ cachePoint: ttl === '1h' ? { type: 'default', ttl } : { type: 'default' } }];
    if (this.family === 'nova' && place === 'messages') {
      if (ttl === '1h') this.warn('cache control was changed: this model keeps a cache for 5 minutes');
      return [{ cachePoint: { type: 'default' } }];
    }
    this.warn(`cache control of ${place} was dropped: this model has no cache points there`);
    return [];
  }

  private contentOf(part: MessagePart): Block[] {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return textBlocks(part.text);
      case 'image':
        return [imageBlock(part)];
      case 'file':
        return [fileBlock(part, ++this.files)];
      case 'audio':
        return [audioBlock(part)];
      case 'tool-call':
        return [{ toolUse: { toolUseId: toolUseId(part.id), name: part.name, input: this.input(part) } }];
      case 'tool-result':
        return [this.toolResult(part)];
      case 'reasoning':
        return reasoningBlocks(part);
    }
  }

  private toolResult({ toolCallId, content, isError }: ToolResultPart): Block {
    const blocks = content.flatMap((part) => this.contentOf(part));
    const result = { toolUseId: toolUseId(toolCallId), content: blocks };
    // Only Claude and Nova take a status, so that it is told only where it says something.
    return { toolResult: isError ? { ...result, status: 'error' } : result };
  }

  /** Arguments must be an object; what a model wrote otherwise is kept as text. */
  private input({ arguments: text, name }: ToolCallPart): Block {
    if (text.trim() === '') return {};
    const value = parseJson(text);
    if (isRecord(value)) return value;
    this.warn(`the arguments of a call of ${name} were no JSON object; they are sent as text under "arguments"`);
    return { arguments: text };
  }
}

/** Blank text is refused by Bedrock, and says nothing. */
function textBlocks(text: string): Block[] {
  return text.trim() === '' ? [] : [{ text }];
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ReasoningContentBlock.html */
function reasoningBlocks({ text, seal }: Extract<MessagePart, { type: 'reasoning' }>): Block[] {
  if (seal?.dialect !== 'bedrock-converse') return [];
  return seal.kind === 'redacted'
    ? [{ reasoningContent: { redactedContent: seal.value } }]
    : [{ reasoningContent: { reasoningText: { text, signature: seal.value } } }];
}

/**
 * Ids of tool calls hold at most 64 of a-z, A-Z, 0-9, _ and -; other providers' may be longer or hold other
 * characters.
 * A changed id ends in a hash of the whole one, so that different ids stay different and a call and its
 * result stay together.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html
 */
function toolUseId(id: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 16);
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 47)}_${hash}`;
}
