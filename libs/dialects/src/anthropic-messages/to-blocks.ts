import { GatewayError } from '@tollgate/contracts';
import type {
  FilePart,
  ImagePart,
  MediaSource,
  MessagePart,
  ReasoningPart,
  ToolResultPart,
} from '../canonical/generation-request';
import { toToolInput } from '../canonical/tool-input';
import { toCacheControl } from './cache-control';
import type { ToolIds } from './tool-ids';

type Block = Record<string, unknown>;

/**
 * A part as content blocks: none for blank text, which Anthropic refuses, and for reasoning that it did not
 * seal.
 */
export function toBlocks(part: MessagePart, ids: ToolIds): Block[] {
  const block = toBlock(part, ids);
  if (block === null) return [];
  // Thinking takes no breakpoint:
  // https://platform.claude.com/docs/en/build-with-claude/prompt-caching#what-cannot-be-cached
  return [part.type === 'reasoning' ? block : { ...block, ...toCacheControl(part.cacheControl) }];
}

function toBlock(part: MessagePart, ids: ToolIds): Block | null {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return toText(part.text);
    case 'image':
      return toImage(part);
    case 'file':
      return toDocument(part);
    case 'audio':
      throw new GatewayError(400, 'Audio is not possible: this model takes text, images and documents.');
    case 'reasoning':
      return toThinking(part);
    case 'tool-call':
      return { type: 'tool_use', id: ids.to(part.id), name: part.name, input: toToolInput(part.arguments) };
    case 'tool-result':
      return toToolResult(part, ids);
  }
}

function toText(text: string): Block | null {
  return text.trim() === '' ? null : { type: 'text', text };
}

function toThinking({ text, seal }: ReasoningPart): Block | null {
  if (seal?.dialect !== 'anthropic-messages') return null;
  if (seal.kind === 'redacted') return { type: 'redacted_thinking', data: seal.value };
  return { type: 'thinking', thinking: text, signature: seal.value };
}

function toToolResult({ toolCallId, content, isError }: ToolResultPart, ids: ToolIds): Block {
  const blocks = content.flatMap((part) => toBlocks(part, ids));
  return {
    type: 'tool_result',
    tool_use_id: ids.to(toolCallId),
    ...(blocks.length === 0 ? {} : { content: blocks }),
    ...(isError === undefined ? {} : { is_error: isError }),
  };
}

/** An `image` block. https://platform.claude.com/docs/en/build-with-claude/vision */
function toImage({ source }: ImagePart): Record<string, unknown> {
  return { type: 'image', source: toSource(source) };
}

/**
 * A `document` block.
 * @throws GatewayError 400 for data that is neither PDF nor text.
 * https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
function toDocument({ source, filename }: FilePart): Record<string, unknown> {
  return { type: 'document', source: documentSource(source), ...(filename === undefined ? {} : { title: filename }) };
}

function documentSource(source: MediaSource): Record<string, unknown> {
  if (source.kind !== 'data' || source.mediaType === 'application/pdf') return toSource(source);
  if (!/^(?:text\/|application\/json\b)/.test(source.mediaType)) {
    throw new GatewayError(
      400,
      `A file of type '${source.mediaType}' is not possible: this model takes PDF and text. Send its text instead.`,
    );
  }
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(source.data, 'base64').toString('utf8') };
}

function toSource(source: MediaSource): Record<string, unknown> {
  switch (source.kind) {
    case 'data':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file-id':
      if (source.dialect !== 'anthropic-messages')
        throw new GatewayError(
          400,
          `The file '${source.id}' was uploaded to another provider. Send its data or a URL.`,
        );
      return { type: 'file', file_id: source.id };
  }
}
