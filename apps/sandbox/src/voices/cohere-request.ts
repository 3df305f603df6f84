import { demand } from '../voice/neutral-request';
import type { NeutralRequest } from '../voice/neutral-request';
import { demandKnown, limitIn, numberIn, objects, optionalObjects, textIn } from '../voice/read-values';
import { isRecord } from '../voice/record';
import { lookBack } from '../voice/turns';
import type { Turn } from '../voice/turns';

const knownFields = [
  'model',
  'messages',
  'stream',
  'tools',
  'strict_tools',
  'documents',
  'citation_options',
  'response_format',
  'safety_mode',
  'max_tokens',
  'stop_sequences',
  'temperature',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'k',
  'p',
  'logprobs',
  'tool_choice',
  'thinking',
  'priority',
];

/** Reads a chat request as strictly as Cohere. @throws Refusal */
export function readCohereChat(body: Record<string, unknown>): NeutralRequest {
  demandKnown(body, knownFields, 'invalid request: unknown field ');
  demand(typeof body.model === 'string' && body.model !== '', 'invalid request: model is required');
  numberIn(body.temperature, 'temperature', 0, 1);
  numberIn(body.p, 'p', 0.01, 0.99);
  numberIn(body.k, 'k', 0, 500);
  const messages = objects(body.messages, 'messages');
  demand(messages.length > 0, 'invalid request: messages must not be empty');
  const format = isRecord(body.response_format) ? body.response_format : {};
  const tools = optionalObjects(body.tools, 'tools').map(readTool);
  demand(body.tool_choice === undefined || tools.length > 0, 'invalid request: tool_choice needs tools');
  demand(
    body.tool_choice === undefined || body.tool_choice === 'REQUIRED' || body.tool_choice === 'NONE',
    'invalid request: tool_choice must be REQUIRED or NONE',
  );
  demand(
    format.type !== 'json_object' || tools.length === 0,
    'invalid request: response_format json_object cannot be used with tools',
  );
  return {
    model: body.model,
    stream: body.stream === true,
    ...lookBack(readTurns(messages)),
    tools,
    toolChoice: body.tool_choice === 'REQUIRED' ? 'required' : body.tool_choice === 'NONE' ? 'none' : 'auto',
    reasons: isRecord(body.thinking) && body.thinking.type === 'enabled',
    schema: format.type === 'json_object' ? (format.json_schema ?? format.schema ?? {}) : null,
    maxTokens: limitIn(body.max_tokens, 'max_tokens'),
    stops: Array.isArray(body.stop_sequences) ? body.stop_sequences.map(textIn) : [],
    inputText: JSON.stringify([messages, body.tools ?? []]),
    isCached: false,
  };
}

function readTool(tool: Record<string, unknown>): { name: string; schema: unknown } {
  demand(tool.type === 'function' && isRecord(tool.function), 'invalid request: a tool must be a function');
  demand(
    /^[a-zA-Z_]\w*$/.test(textIn(tool.function.name)),
    'invalid request: tool names may hold letters, digits and underscores only',
  );
  return { name: textIn(tool.function.name), schema: tool.function.parameters };
}

function readTurns(messages: readonly Record<string, unknown>[]): Turn[] {
  const open = new Set<string>();
  return messages.map((message, index) => {
    switch (message.role) {
      case 'user':
        return { kind: 'user', text: contentText(message.content) };
      case 'system':
        demand(contentText(message.content) !== '', `messages[${index}]: content is required`);
        return { kind: 'assistant' };
      case 'assistant': {
        const calls = optionalObjects(message.tool_calls, 'tool_calls');
        for (const { id } of calls) open.add(textIn(id));
        demand(
          calls.length > 0 || contentText(message.content) !== '',
          `messages[${index}]: an assistant message needs content or tool_calls`,
        );
        return { kind: 'assistant' };
      }
      case 'tool':
        demand(
          open.delete(textIn(message.tool_call_id)),
          `messages[${index}]: tool_call_id ${textIn(message.tool_call_id)} was not called`,
        );
        return { kind: 'results', texts: [contentText(message.content)] };
      default:
        demand(false, `messages[${index}]: unknown role ${textIn(message.role)}`);
        return { kind: 'assistant' };
    }
  });
}

function contentText(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  return objects(content, 'content')
    .map((part) => {
      demand(
        ['text', 'image_url', 'document', 'thinking'].includes(textIn(part.type)),
        `unknown content type ${textIn(part.type)}`,
      );
      if (part.type !== 'document') return textIn(part.text ?? part.thinking);
      const document = isRecord(part.document) ? part.document : {};
      return typeof document.data === 'string' ? document.data : JSON.stringify(document.data);
    })
    .join(' ');
}
