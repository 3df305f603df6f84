import { signatureOf } from '../voice/answer-plan';
import { demand } from '../voice/neutral-request';
import type { NeutralRequest } from '../voice/neutral-request';
import { demandKnown, limitIn, numberIn, objects, optionalObjects, textIn } from '../voice/read-values';
import { isRecord } from '../voice/record';
import { lookBack } from '../voice/turns';
import type { Turn } from '../voice/turns';

const knownFields = [
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'max_output_tokens',
  'max_tool_calls',
  'temperature',
  'top_p',
  'top_logprobs',
  'text',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'include',
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'service_tier',
  'truncation',
  'background',
  'previous_response_id',
  'conversation',
  'prompt',
];

/** Reads a responses request as strictly as OpenAI. @throws Refusal */
export function readResponses(body: Record<string, unknown>): NeutralRequest {
  demandKnown(body, knownFields, 'Unknown parameter: ');
  demand(typeof body.model === 'string' && body.model !== '', "Missing required parameter: 'model'.");
  numberIn(body.temperature, 'temperature', 0, 2);
  numberIn(body.top_p, 'top_p', 0, 1);
  const maxTokens = limitIn(body.max_output_tokens, 'max_output_tokens');
  demand(maxTokens === null || maxTokens >= 16, "Invalid 'max_output_tokens': integer below minimum value.");
  const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : objects(body.input, 'input');
  const text = isRecord(body.text) ? body.text : {};
  return {
    model: body.model,
    stream: body.stream === true,
    ...lookBack(readTurns(input)),
    tools: optionalObjects(body.tools, 'tools').map(readTool),
    toolChoice: readChoice(body.tool_choice),
    reasons: isRecord(body.reasoning) && body.reasoning.effort !== undefined && body.reasoning.effort !== 'none',
    schema: isRecord(text.format) && text.format.type === 'json_schema' ? text.format.schema : null,
    maxTokens,
    stops: [],
    inputText: JSON.stringify([body.instructions ?? '', input, body.tools ?? []]),
    isCached: typeof body.prompt_cache_key === 'string',
  };
}

function readTool(tool: Record<string, unknown>): { name: string; schema: unknown } {
  demand(tool.type === 'function' || tool.type === 'custom', `Invalid value: '${textIn(tool.type)}' for tools.type.`);
  demand(
    typeof tool.name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(tool.name),
    "Invalid 'tools.name': string does not match pattern.",
  );
  demand(
    tool.strict !== true || isRecord(tool.parameters),
    "Invalid schema for function: 'parameters' is required for strict tools.",
  );
  return { name: tool.name, schema: tool.parameters };
}

function readChoice(choice: unknown): NeutralRequest['toolChoice'] {
  if (choice === 'none' || choice === 'required') return choice;
  return isRecord(choice) && typeof choice.name === 'string' ? { name: choice.name } : 'auto';
}

function readTurns(items: readonly Record<string, unknown>[]): Turn[] {
  const open = new Set<string>();
  const turns = items.map((item, index) => readItem(item, index, open));
  demand(open.size === 0, `No tool output found for function call ${[...open].join(', ')}.`);
  return turns;
}

function readItem(item: Record<string, unknown>, index: number, open: Set<string>): Turn {
  const where = `input[${index}]`;
  switch (item.type ?? 'message') {
    case 'message':
      demand(
        ['user', 'assistant', 'system', 'developer'].includes(textIn(item.role)),
        `Invalid value for '${where}.role'.`,
      );
      if (item.role === 'user') return { kind: 'user', text: contentText(item.content, where, 'input_text') };
      contentText(item.content, where, item.role === 'assistant' ? 'output_text' : 'input_text');
      return { kind: 'assistant' };
    case 'function_call':
      demand(
        typeof item.call_id === 'string' && typeof item.arguments === 'string',
        `Missing required parameter: '${where}.call_id'.`,
      );
      open.add(item.call_id);
      return { kind: 'assistant' };
    case 'function_call_output':
      demand(
        open.delete(textIn(item.call_id)),
        `No tool call found for function call output with call_id ${textIn(item.call_id)}.`,
      );
      return { kind: 'results', texts: [contentText(item.output, where, 'input_text')] };
    case 'reasoning':
      demand(Array.isArray(item.summary), `Missing required parameter: '${where}.summary'.`);
      checkReasoning(item, where);
      return { kind: 'assistant' };
    default:
      demand(false, `Invalid value: '${textIn(item.type)}' for '${where}.type'.`);
      return { kind: 'assistant' };
  }
}

function checkReasoning({ summary, encrypted_content: sealed }: Record<string, unknown>, where: string): void {
  const text = optionalObjects(summary, `${where}.summary`)
    .map((part) => textIn(part.text))
    .join('');
  demand(
    sealed === undefined || sealed === signatureOf(text),
    `The encrypted content for '${where}' could not be verified.`,
  );
}

function contentText(content: unknown, where: string, type: string): string {
  if (typeof content === 'string') return content;
  return objects(content, `${where}.content`)
    .map((part) => {
      const known = [type, 'input_image', 'input_file', 'refusal'];
      demand(
        known.includes(textIn(part.type)),
        `Invalid value: '${textIn(part.type)}' for '${where}.content'. Supported values are: '${type}'.`,
      );
      return textIn(part.text);
    })
    .join(' ');
}
