import type { CanonicalMessage, CanonicalRequest } from '../canonical/generation-request';
import { GatewayError } from '@tollgate/contracts';
import { openingText, openingTold } from '../canonical/opening-turn';
import { toBlocks } from './to-blocks';
import { ToolIds } from './tool-ids';

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
