import { GatewayError } from '@tollgate/contracts';
import type {
  CanonicalMessage,
  CanonicalRequest,
  FilePart,
  ImagePart,
  MediaSource,
  MessagePart,
  ReasoningPart,
  ToolResultPart,
} from '../canonical/generation-request';
import { openingText, openingTold } from '../canonical/opening-turn';
import { ToolIds } from './tool-ids';
import { toToolInput } from '../canonical/tool-input';
import { toCacheControl } from './cache-control';

type Block = Record<string, unknown>;

interface Turn {
  role: 'user' | 'assistant' | 'system';
  content: Block[];
}

/** The conversation as this dialect has it. `system` holds what stood before the first turn. */
interface Conversation {
  system: Block[];
  messages: Turn[];
}

/**
 * Turns in alternation: neighbours of one role are joined, and the results of tools come first in their turn,
 * as Anthropic demands.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 * The first turn is the user's: https://platform.claude.com/docs/en/api/messages/create
 * System messages behind the first turn stay in their place: as such behind a user turn of a model that takes
 * them (`takesSystem`), else as marked text of a user turn.
 */
export function toMessages(request: CanonicalRequest, takesSystem: boolean, warnings: string[]): Conversation {
  const ids = new ToolIds();
  const firstTurn = request.messages.findIndex((message) => !isSystem(message));
  const split = firstTurn < 0 ? request.messages.length : firstTurn;
  const system = request.messages.slice(0, split).flatMap((message) => blocksOf(message, ids));
  const messages: Turn[] = [];
  for (const message of request.messages.slice(split)) addMessage(messages, message, ids, takesSystem, warnings);
  for (const turn of messages) turn.content = resultsFirst(turn.content);
  trimPrefill(messages.at(-1));
  if (messages[0]?.role === 'assistant') {
    messages.unshift({ role: 'user', content: [{ type: 'text', text: openingText }] });
    warnings.push(openingTold);
  }
  if (messages.length > 0) return { system, messages };
  if (system.length === 0) throw new GatewayError(400, "'messages' must hold at least one message with content.");
  warnings.push('the system message was sent as a user message: this model needs one');
  return { system: [], messages: [{ role: 'user', content: system }] };
}

function addMessage(
  turns: Turn[],
  message: CanonicalMessage,
  ids: ToolIds,
  takesSystem: boolean,
  warnings: string[],
): void {
  const content = blocksOf(message, ids);
  if (content.length === 0) return;
  if (!isSystem(message)) return join(turns, message.role === 'assistant' ? 'assistant' : 'user', content);
  const before = turns.at(-1)?.role;
  if (takesSystem && (before === 'user' || before === 'system')) return join(turns, 'system', content);
  const warning =
    'a system message behind the first turn was sent as text of a user message: this model takes none there';
  if (!warnings.includes(warning)) warnings.push(warning);
  join(turns, 'user', content.map(asMarkedText));
}

function blocksOf({ parts }: CanonicalMessage, ids: ToolIds): Block[] {
  return parts.flatMap((part) => toBlocks(part, ids));
}

function asMarkedText(block: Block): Block {
  return typeof block.text === 'string' ? { ...block, text: `<system>\n${block.text}\n</system>` } : block;
}

function join(turns: Turn[], role: Turn['role'], content: readonly Block[]): void {
  const last = turns.at(-1);
  // One by one: a turn may have more blocks than a call can take arguments.
  if (last?.role === role) for (const block of content) last.content.push(block);
  else turns.push({ role, content: [...content] });
}

function resultsFirst(content: readonly Block[]): Block[] {
  const isResult = (block: Block) => block.type === 'tool_result';
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

/**
 * A last assistant turn, which the answer continues, must not end in white space:
 * https://platform.claude.com/docs/en/api/errors
 */
function trimPrefill(last: Turn | undefined): void {
  const block = last?.content.at(-1);
  if (last?.role === 'assistant' && typeof block?.text === 'string') block.text = block.text.trimEnd();
}

function isSystem({ role }: CanonicalMessage): boolean {
  return role === 'system' || role === 'developer';
}

/**
 * A part as content blocks: none for blank text, which Anthropic refuses, and for reasoning that it did not
 * seal.
 */
function toBlocks(part: MessagePart, ids: ToolIds): Block[] {
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
