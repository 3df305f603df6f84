/**
 * A piece of what somebody said. `name`: of the tool that is called, or of a kind that is not text. `callId`:
 * of a call, and of the result of it, where it is told. `url`: of an image, as the request has it.
 */
export interface Part {
  kind: 'text' | 'reasoning' | 'call' | 'result' | 'error' | 'other';
  name: string | null;
  text: string;
  callId?: string;
  url?: string;
}

export interface SaidTurn {
  role: string;
  parts: Part[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a logged request or answer says, turn by turn, in whichever of the gateway's formats it is: chat
 * completions, responses, messages, text completions, embeddings. Null: it is none of them, or was cut off
 * before it could be read.
 */
export function conversationIn(json: string): SaidTurn[] | null {
  const body = fieldsOf(parsed(json));
  if (!body) return null;
  const turns = [
    ...saidBy('system', body['system'] ?? body['instructions']),
    ...listOf(body['messages']).flatMap((message) => turnOf(message, 'user')),
    ...inputOf(body['input'] ?? body['prompt']),
    ...listOf(body['output']).flatMap((item) => turnOf(item, 'assistant')),
    ...listOf(body['choices']).flatMap((choice) => ofChoice(fieldsOf(choice))),
    ...(body['messages'] === undefined && body['content'] !== undefined ? turnOf(body, 'assistant') : []),
    ...errorOf(body['error']),
  ];
  return turns.length > 0 ? turns : null;
}

function inputOf(input: unknown): SaidTurn[] {
  return Array.isArray(input) ? input.flatMap((item: unknown) => turnOf(item, 'user')) : saidBy('user', input);
}

function ofChoice(choice: Fields | null): SaidTurn[] {
  return choice?.['message'] === undefined
    ? saidBy('assistant', choice?.['text'])
    : turnOf(choice['message'], 'assistant');
}

/** A message, or an item that is one without saying so: a call, a result, reasoning, a text. */
function turnOf(item: unknown, otherwise: string): SaidTurn[] {
  const fields = fieldsOf(item);
  if (!fields) return saidBy(otherwise, item);
  const { role, content } = fields;
  const called = listOf(fields['tool_calls']).flatMap((call) => partsOf({ type: 'function_call', ...fieldsOf(call) }));
  const parts =
    role === 'tool'
      ? [{ kind: 'result' as const, name: textOf(fields['name']), text: written(content), ...callIdIn(fields) }]
      : [
          ...thoughtsIn(fields),
          ...(role === undefined && content === undefined ? partsOf(item) : partsOf(content)),
          ...called,
        ];
  return parts.length > 0 ? [{ role: textOf(role) ?? otherwise, parts }] : [];
}

function saidBy(role: string, said: unknown): SaidTurn[] {
  const parts = partsOf(said);
  return parts.length > 0 ? [{ role, parts }] : [];
}

function thoughtsIn({ reasoning_content: told, reasoning }: Fields): Part[] {
  const text = textOf(told ?? reasoning);
  return text ? [{ kind: 'reasoning', name: null, text }] : [];
}

function errorOf(error: unknown): SaidTurn[] {
  const message = textOf(fieldsOf(error)?.['message']);
  return message === null ? [] : [{ role: 'gateway', parts: [{ kind: 'error', name: null, text: message }] }];
}

function partsOf(content: unknown): Part[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ kind: 'text', name: null, text: content }];
  if (Array.isArray(content)) return content.flatMap((part: unknown) => partsOf(part));
  const part = fieldsOf(content);
  return part ? [partOf(part)] : [{ kind: 'other', name: null, text: written(content) }];
}

function partOf(part: Fields): Part {
  const type = textOf(part['type']) ?? 'data';
  const call = fieldsOf(part['function']) ?? part;
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal':
      return { kind: 'text', name: null, text: textOf(part['text'] ?? part['refusal']) ?? '' };
    case 'thinking':
    case 'reasoning':
      return { kind: 'reasoning', name: null, text: textOf(part['thinking']) ?? summaryOf(part['summary']) };
    case 'tool_use':
    case 'function':
    case 'function_call':
      return {
        kind: 'call',
        name: textOf(call['name']),
        text: written(call['input'] ?? call['arguments']),
        ...callIdIn(part),
      };
    case 'tool_result':
    case 'function_call_output':
      return { kind: 'result', name: null, text: written(part['content'] ?? part['output']), ...callIdIn(part) };
    default:
      return { kind: 'other', name: type, text: written(part), ...imageIn(part) };
  }
}

/** The id that ties a call and its result together, by the names of the three formats. */
function callIdIn(part: Fields): { callId?: string } {
  const id = textOf(part['tool_call_id'] ?? part['tool_use_id'] ?? part['call_id'] ?? part['id']);
  return id === null ? {} : { callId: id };
}

/** What the log has in the place of a file's data. */
const isLeftOut = (text: string): boolean => /^\[left out: \d+ characters\]$/.test(text);

/** An image of chat completions, responses or messages; nothing where the log did not keep it. */
function imageIn(part: Fields): { url?: string } {
  const source = fieldsOf(part['source']);
  const image = part['image_url'];
  const url = textOf(image) ?? textOf(fieldsOf(image)?.['url']) ?? textOf(source?.['url']);
  if (url !== null) return isLeftOut(url) ? {} : { url };
  const data = textOf(source?.['data']);
  return data === null || isLeftOut(data)
    ? {}
    : { url: `data:${textOf(source?.['media_type']) ?? 'image/png'};base64,${data}` };
}

const summaryOf = (summary: unknown): string =>
  listOf(summary)
    .map((one) => textOf(fieldsOf(one)?.['text']) ?? '')
    .join('\n');

/**
 * A text as it is; the texts of a list of text parts; everything else as JSON with a line for each member.
 */
function written(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return fieldsOf(parsed(value)) ? JSON.stringify(parsed(value), null, 2) : value;
  const parts = Array.isArray(value) ? partsOf(value) : [];
  if (parts.length > 0 && parts.every(({ kind }) => kind === 'text')) return parts.map(({ text }) => text).join('\n');
  return JSON.stringify(value, null, 2);
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
