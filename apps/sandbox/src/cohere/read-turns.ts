import { memberOf, objects, optionalObjects, textIn } from '../request/read-values';
import { isRecord } from '../request/record';
import { demand } from '../request/refusal';
import type { Turn } from '../request/turns';

type Message = Record<string, unknown>;

const partTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'document'],
  system: ['text'],
  assistant: ['text', 'thinking'],
  tool: ['text', 'document'],
};

/**
 * What was said so far: results stand right behind their calls, and every call has one.
 * https://docs.cohere.com/docs/tool-use-overview
 * @throws Refusal
 */
export function readTurns(messages: readonly Message[]): Turn[] {
  const open = new Set<string>();
  const turns = messages.map((message, index): Turn => {
    demand(
      message.role === 'tool' || open.size === 0,
      `invalid request: tool calls must be followed by their results, missing: ${[...open].join(', ')}`,
    );
    return readMessage(message, `messages[${index}]`, open);
  });
  demand(
    open.size === 0,
    `invalid request: tool calls must be followed by their results, missing: ${[...open].join(', ')}`,
  );
  demand(messages.at(-1)?.role !== 'assistant', 'invalid request: the last message must be a user or a tool message');
  return turns;
}

function readMessage(message: Message, where: string, open: Set<string>): Turn {
  const role = textIn(message.role);
  demand(Object.hasOwn(partTypes, role), `invalid request: ${where}.role must be one of user, assistant, system, tool`);
  const text = contentText(message.content, where, role);
  switch (role) {
    case 'user':
      demand(text !== null, `invalid request: ${where}.content is required`);
      return { kind: 'user', text };
    case 'tool':
      demand(
        open.delete(textIn(message.tool_call_id)),
        `invalid request: ${where}.tool_call_id ${textIn(message.tool_call_id)} has no tool call before it`,
      );
      return { kind: 'results', texts: [text ?? ''] };
    case 'assistant':
      readCalls(message, text, where, open);
      return { kind: 'assistant' };
    default:
      demand(text !== null && text !== '', `invalid request: ${where}.content is required`);
      return { kind: 'assistant' };
  }
}

function readCalls(message: Message, text: string | null, where: string, open: Set<string>): void {
  const calls = optionalObjects(message.tool_calls, `${where}.tool_calls`);
  demand(
    calls.length > 0 || (text !== null && text !== ''),
    `invalid request: ${where} must have at least one of content and tool_calls`,
  );
  for (const call of calls) {
    const called = memberOf(call, 'function');
    demand(textIn(call.id) !== '' && call.type === 'function', `invalid request: ${where}.tool_calls need id and type`);
    demand(
      typeof called.arguments === 'string' && isObject(called.arguments),
      `invalid request: ${where}.tool_calls.function.arguments must be an object in JSON`,
    );
    open.add(textIn(call.id));
  }
}

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Null where there is no content. */
function contentText(content: unknown, where: string, role: string): string | null {
  if (content === undefined || content === null) return null;
  if (typeof content === 'string') return content;
  return objects(content, `${where}.content`)
    .map((part) => {
      demand(
        partTypes[role]?.includes(textIn(part.type)) === true,
        `invalid request: ${where}.content: a ${role} message has no ${textIn(part.type)}`,
      );
      if (part.type !== 'document') return textIn(part.text ?? part.thinking);
      const { data } = memberOf(part, 'document');
      return typeof data === 'string' ? data : JSON.stringify(data);
    })
    .join(' ');
}
