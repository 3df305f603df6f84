import type { GenerationSurface } from '@tollgate/contracts';

type Json = Record<string, unknown>;

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** What a caller makes of an answer. `message`: what it sends back of it. */
export interface ReadAnswer {
  text: string;
  calls: Call[];
  message: Json[];
}

interface Wishes {
  stream: boolean;
  tools?: string[];
  reasons?: boolean;
  schema?: boolean;
}

/** A client of one surface, as its documentation has it. */
export interface SurfaceCaller {
  surface: GenerationSurface;
  ask(text: string, wishes: Wishes): Json;
  read(answer: string, stream: boolean): ReadAnswer;
  /** The next request of a tool loop: the answer sent back whole, and a result for each call. */
  goOn(body: Json, answer: ReadAnswer, resultOf: (call: Call) => string): Json;
}

const toolSchema = {
  type: 'object',
  properties: { what: { type: 'string' } },
  required: ['what'],
  additionalProperties: false,
};
const formSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, size: { type: 'integer' } },
  required: ['city', 'size'],
  additionalProperties: false,
};

const chat: SurfaceCaller = {
  surface: 'openai-chat',
  ask: (text, { stream, tools, reasons, schema }) => ({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: text },
    ],
    ...(stream && { stream, stream_options: { include_usage: true } }),
    ...(tools && { tools: tools.map((name) => ({ type: 'function', function: { name, parameters: toolSchema } })) }),
    ...(reasons && { reasoning_effort: 'medium' }),
    ...(schema && {
      response_format: { type: 'json_schema', json_schema: { name: 'form', schema: formSchema, strict: true } },
    }),
  }),
  read: (answer, stream) => {
    const message = stream ? joinChunks(dataOf(answer)) : member(list(parsed(answer).choices)[0], 'message');
    const calls = list(message.tool_calls).map((call) => {
      const called = member(call, 'function');
      return { id: String(call.id), name: String(called.name), arguments: String(called.arguments) };
    });
    return { text: textOf(message.content), calls, message: [message] };
  },
  goOn: (body, { calls, message }, resultOf) => ({
    ...body,
    messages: [
      ...list(body.messages),
      ...message,
      ...calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: resultOf(call) })),
    ],
  }),
};

/** A message from its chunks, with everything that was in them. */
function joinChunks(chunks: readonly Json[]): Json {
  const message: Json = { role: 'assistant', content: '' };
  const calls: Json[] = [];
  for (const chunk of chunks)
    for (const choice of list(chunk.choices)) {
      const delta = member(choice, 'delta');
      for (const name of ['content', 'reasoning_content'])
        if (typeof delta[name] === 'string') message[name] = `${textOf(message[name])}${delta[name]}`;
      if (Array.isArray(delta.reasoning_details))
        message.reasoning_details = [...list(message.reasoning_details), ...list(delta.reasoning_details)];
      for (const { index, function: called, ...rest } of list(delta.tool_calls)) {
        const at = Number(index);
        const known = calls[at] ?? { function: { name: '', arguments: '' } };
        const before = member(known, 'function');
        // As openai-python's `.stream()` and llama-index:
        // https://github.com/openai/openai-python/blob/main/src/openai/lib/streaming/chat/_completions.py
        if (!isRecord(called)) throw new Error('a tool-call delta without a function');
        const now = called;
        calls[at] = {
          ...known,
          ...rest,
          function: {
            name: `${String(before.name)}${textOf(now.name)}`,
            arguments: `${String(before.arguments)}${textOf(now.arguments)}`,
          },
        };
      }
    }
  return calls.length > 0 ? { ...message, tool_calls: calls } : message;
}

const messages: SurfaceCaller = {
  surface: 'anthropic-messages',
  ask: (text, { stream, tools, reasons, schema }) => ({
    model: 'm',
    max_tokens: 8_000,
    system: 'Be brief.',
    messages: [{ role: 'user', content: text }],
    ...(stream && { stream }),
    ...(tools && { tools: tools.map((name) => ({ name, input_schema: toolSchema })) }),
    ...(reasons && { thinking: { type: 'enabled', budget_tokens: 2_048 } }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema: formSchema } } }),
  }),
  read: (answer, stream) => {
    const content = stream ? joinBlocks(dataOf(answer)) : list(parsed(answer).content);
    const calls = content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id: String(id), name: String(name), arguments: JSON.stringify(input) }));
    const text = content.map((block) => (block.type === 'text' ? String(block.text) : '')).join('');
    return { text, calls, message: [{ role: 'assistant', content }] };
  },
  goOn: (body, { calls, message }, resultOf) => {
    const content = calls.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: resultOf(call) }));
    return { ...body, messages: [...list(body.messages), ...message, { role: 'user', content }] };
  },
};

function joinBlocks(events: readonly Json[]): Json[] {
  const blocks: Json[] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    const index = Number(event.index);
    if (event.type === 'content_block_start') blocks[index] = { ...member(event, 'content_block') };
    if (event.type !== 'content_block_delta') continue;
    const delta = member(event, 'delta');
    const block = blocks[index] ?? {};
    for (const name of ['text', 'thinking', 'signature'])
      if (typeof delta[name] === 'string') block[name] = `${textOf(block[name])}${delta[name]}`;
    if (typeof delta.partial_json === 'string') inputs.set(index, `${inputs.get(index) ?? ''}${delta.partial_json}`);
  }
  for (const [index, text] of inputs) blocks[index] = { ...blocks[index], input: parsed(text) };
  return blocks;
}

const responses: SurfaceCaller = {
  surface: 'openai-responses',
  ask: (text, { stream, tools, reasons, schema }) => ({
    model: 'm',
    instructions: 'Be brief.',
    input: [{ role: 'user', content: [{ type: 'input_text', text }] }],
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(stream && { stream }),
    ...(tools && { tools: tools.map((name) => ({ type: 'function', name, parameters: toolSchema, strict: true })) }),
    ...(reasons && { reasoning: { effort: 'medium', summary: 'auto' } }),
    ...(schema && { text: { format: { type: 'json_schema', name: 'form', schema: formSchema, strict: true } } }),
  }),
  read: (answer, stream) => {
    const response = stream ? member(dataOf(answer).at(-1), 'response') : parsed(answer);
    const output = list(response.output);
    const calls = output
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({ id: String(item.call_id), name: String(item.name), arguments: String(item.arguments) }));
    const text = output.flatMap(({ content }) => list(content).map((part) => textOf(part.text))).join('');
    return { text, calls, message: output };
  },
  goOn: (body, { calls, message }, resultOf) => ({
    ...body,
    input: [
      ...list(body.input),
      ...message,
      ...calls.map((call) => ({ type: 'function_call_output', call_id: call.id, output: resultOf(call) })),
    ],
  }),
};

/** A client of every surface. */
export const callers: readonly SurfaceCaller[] = [chat, messages, responses];

function dataOf(stream: string): Json[] {
  return stream
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map((line) => parsed(line.slice('data: '.length)));
}

function parsed(text: string): Json {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error(`not an object: ${text}`);
  return value;
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function member(value: unknown, name: string): Json {
  const found = isRecord(value) ? value[name] : undefined;
  return isRecord(found) ? found : {};
}
