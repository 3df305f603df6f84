import type { CanonicalMessage, MessagePart } from '../canonical/generation-request';
import { openingText, openingTold } from '../canonical/opening-turn';
import { invalid } from '../canonical/request-fields';
import type { Part, PartWriter } from './part-writer';

/** One turn. https://ai.google.dev/api/caching#Content */
export interface Content {
  role: 'user' | 'model';
  parts: Part[];
}

/** The instruction's parts, and turns that alternate. */
interface Conversation {
  instruction: Part[];
  contents: Content[];
}

/**
 * Puts messages into Gemini's turns: neighbours of one role are joined, and the results of tools stand
 * together at the front of the user's turn, as many as the calls before it.
 * System and developer messages have a place of their own, in their order. @throws GatewayError 400 when
 * nothing is said at all.
 */
export function toContents(
  messages: readonly CanonicalMessage[],
  writer: PartWriter,
  warn: (warning: string) => void,
): Conversation {
  const instruction: Part[] = [];
  const contents: Content[] = [];
  for (const { role, parts } of messages) {
    if (role === 'system' || role === 'developer') {
      if (contents.length > 0) warn(`a ${role} message was moved to the front: Gemini takes instructions only there`);
      instruction.push(...instructionParts(parts, writer));
      continue;
    }
    const written = writer.parts(parts);
    if (written.length > 0) addTurn(contents, { role: role === 'assistant' ? 'model' : 'user', parts: written });
    else if (!parts.some(({ type }) => type === 'reasoning'))
      warn('a message without content was left out: Gemini refuses it');
  }
  // Calls alone must follow somebody: https://github.com/mastra-ai/mastra/issues/7231
  if (contents[0]?.role === 'model' && contents[0].parts.some((part) => 'functionCall' in part)) {
    contents.unshift({ role: 'user', parts: [{ text: openingText }] });
    warn(openingTold);
  }
  if (contents.length > 0)
    return { instruction, contents: contents.map(({ role, parts }) => ({ role, parts: writer.resultsFirst(parts) })) };
  if (instruction.length === 0) throw invalid('messages', 'hold nothing that could be answered');
  warn("the system message was sent as the user's: Gemini answers no instruction alone");
  return { instruction: [], contents: [{ role: 'user', parts: instruction }] };
}

function addTurn(contents: Content[], turn: Content): void {
  const last = contents.at(-1);
  if (last?.role === turn.role) last.parts.push(...turn.parts);
  else contents.push(turn);
}

/** An instruction is text: https://ai.google.dev/api/generate-content#request-body */
function instructionParts(parts: readonly MessagePart[], writer: PartWriter): Part[] {
  const other = parts.find((part) => part.type !== 'text');
  if (other)
    throw invalid('messages', `holds a system message with a part of the type ${other.type}; Gemini takes text there`);
  return writer.parts(parts);
}
