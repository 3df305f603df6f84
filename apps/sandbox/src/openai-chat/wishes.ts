import type { NeutralRequest, OfferedTool } from '../voice/neutral-request';
import { isRecord } from '../voice/record';
import { lookBack } from '../voice/turns';
import type { Turn } from '../voice/turns';
import { lastUserText } from './last-user-text';
import { RequestError } from './request-error';

/** Reads what makes an answer more than words: tools, reasoning, a schema. Null when there is none of them. @throws RequestError for calls without their results, and results without their call. */
export function readWishes(
  body: Record<string, unknown>,
  messages: readonly unknown[],
  model: string,
): NeutralRequest | null {
  const turns = readTurns(messages);
  const tools = Array.isArray(body.tools) ? body.tools.flatMap(readTool) : [];
  const effort = body.reasoning_effort;
  const reasons = typeof effort === 'string' && effort !== 'none';
  const format = isRecord(body.response_format) ? body.response_format : {};
  const schema = isRecord(format.json_schema) ? format.json_schema.schema : null;
  if (tools.length === 0 && !reasons && schema === null) return null;
  return {
    model,
    stream: body.stream === true,
    userText: lastUserText(messages),
    resultRounds: lookBack(turns).resultRounds,
    tools,
    toolChoice: readChoice(body.tool_choice),
    reasons,
    schema,
    maxTokens: null,
    stops: [],
    inputText: JSON.stringify(messages),
    isCached: false,
  };
}

function readTool(tool: unknown): OfferedTool[] {
  const definition = isRecord(tool) ? tool.function : undefined;
  return isRecord(definition) && typeof definition.name === 'string'
    ? [{ name: definition.name, schema: definition.parameters }]
    : [];
}

function readChoice(choice: unknown): NeutralRequest['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  const named = isRecord(choice) && isRecord(choice.function) ? choice.function.name : undefined;
  return typeof named === 'string' ? { name: named } : 'auto';
}

function readTurns(messages: readonly unknown[]): Turn[] {
  const open = new Set<string>();
  const turns = messages.map((message, index): Turn => {
    if (!isRecord(message)) return { kind: 'assistant' };
    if (message.role !== 'tool' && open.size > 0)
      throw new RequestError(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${[...open].join(', ')}`,
        `messages.[${index}].role`,
      );
    if (message.role === 'user') return { kind: 'user', text: lastUserText([message]) };
    if (message.role === 'tool') return toolTurn(message, index, open);
    for (const call of Array.isArray(message.tool_calls) ? (message.tool_calls as unknown[]) : [])
      if (isRecord(call) && typeof call.id === 'string') open.add(call.id);
    return { kind: 'assistant' };
  });
  return turns;
}

function toolTurn({ tool_call_id: id, content }: Record<string, unknown>, index: number, open: Set<string>): Turn {
  if (typeof id !== 'string' || !open.delete(id))
    throw new RequestError(
      "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
      `messages.[${index}].role`,
    );
  return { kind: 'results', texts: [typeof content === 'string' ? content : JSON.stringify(content)] };
}
