import type { CanonicalMessage, MessagePart } from '../canonical/generation-request';
import { openingText, openingTold } from '../canonical/opening-turn';
import { invalid } from '../canonical/request-fields';
import type { Block, ContentWriter } from './content-writer';

/** One turn of Converse. */
interface Turn {
  role: 'user' | 'assistant';
  content: Block[];
}

/** System blocks, and turns that alternate and begin with the user. */
export interface Conversation {
  system: Block[];
  messages: Turn[];
}

/**
 * Puts messages into the turns of Converse: neighbours of one role are joined, tool results stand in the
 * user's turn and before its other content.
 * System and developer messages have a place of their own at the front, in their order.
 * The first turn is the user's: https://github.com/pydantic/pydantic-ai/issues/4495
 * @throws GatewayError 400 where nothing is said at all.
 */
export function toConversation(messages: readonly CanonicalMessage[], writer: ContentWriter): Conversation {
  const system: Block[] = [];
  const turns: Turn[] = [];
  for (const { role, parts } of messages) {
    if (role === 'system' || role === 'developer') {
      if (turns.length > 0)
        writer.warn(`a ${role} message was moved to the front: Bedrock takes instructions only there`);
      system.push(...systemBlocks(parts, writer));
      continue;
    }
    const content = parts.flatMap((part) => writer.blocks(part));
    if (content.length === 0) {
      writer.warn('a message without content was left out: Bedrock refuses blank text');
      continue;
    }
    addTurn(turns, { role: role === 'assistant' ? 'assistant' : 'user', content });
  }
  if (turns[0]?.role === 'assistant') {
    turns.unshift({ role: 'user', content: [{ text: openingText }] });
    writer.warn(openingTold);
  }
  trimEnding(turns.at(-1));
  if (turns.length > 0) return { system, messages: turns.map(withResultsFirst).map(withText) };
  if (system.length === 0) throw invalid('messages', 'hold nothing that is not blank: Amazon Bedrock requires it');
  writer.warn("the system message was sent as the user's: Bedrock answers no instruction alone");
  return { system: [], messages: [{ role: 'user', content: system }] };
}

/**
 * Claude refuses a last turn of the assistant that ends in white space.
 * https://github.com/aws/aws-sdk-net/pull/4015
 */
function trimEnding(last: Turn | undefined): void {
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  if (block && typeof block.text === 'string') block.text = block.text.trimEnd();
}

function addTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  if (last?.role === turn.role) last.content.push(...turn.content);
  else turns.push(turn);
}

/** Results must directly follow the calls that they answer. */
function withResultsFirst(turn: Turn): Turn {
  if (turn.role === 'assistant') return turn;
  const ends = turn.content.findLastIndex((block) => 'toolResult' in block);
  if (ends < 0) return turn;
  const before = turn.content.slice(0, ends + 1);
  const results = before.filter((block) => 'toolResult' in block || 'cachePoint' in block);
  const others = before.filter((block) => !('toolResult' in block || 'cachePoint' in block));
  return { ...turn, content: [...results, ...others, ...turn.content.slice(ends + 1)] };
}

/**
 * Documents want a text beside them; Claude Code sends a PDF alone.
 * https://github.com/BerriAI/litellm/pull/36499
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
 */
function withText(turn: Turn): Turn {
  const at = turn.content.findIndex((block) => 'document' in block);
  if (at < 0 || turn.content.some((block) => 'text' in block)) return turn;
  return { ...turn, content: turn.content.toSpliced(at, 0, { text: 'The document:' }) };
}

/** System blocks hold text and cache points. */
function systemBlocks(parts: readonly MessagePart[], writer: ContentWriter): Block[] {
  const other = parts.find((part) => part.type !== 'text');
  if (other)
    throw invalid(
      'messages',
      `holds a system message with a part of the type ${other.type}; Amazon Bedrock takes text there`,
    );
  return parts.flatMap((part) => writer.blocks(part));
}
