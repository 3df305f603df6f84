import type { GenerationSurface } from '@tollgate/contracts';
import { z } from 'zod';

/** What a strict client of one surface keeps of a stream while it reads the data of its events. */
export interface StreamReading {
  content: string;
  /** Events that carried text. */
  pieces: number;
  /** The stream said that it is whole. */
  done: boolean;
  /** The error told in the stream, null when none was. */
  error: string | null;
  /** What the stream told of its charge, each time that it did. */
  costs: string[];
}

/** How a client of one surface asks for text, and reads it. */
export interface ClientSurface {
  path: string;
  body(model: string, prompt: string, stream: boolean): object;
  /** The text of a plain answer. Throws when it is none. */
  textOf(answer: unknown): string;
  /** Takes the data of one server-sent event into a reading. Throws when it is no event of this surface. */
  readEvent(data: string, reading: StreamReading): void;
}

/** Where the load of proofs may be asked. */
export type AskedSurface = GenerationSurface | 'openai-embeddings';

/** What is said aloud comes as a transcript beside the sound. */
const message = z.object({
  content: z.string().nullish(),
  audio: z.object({ transcript: z.string().optional() }).nullish(),
});
const completion = z.object({ choices: z.array(z.object({ message })).min(1) });
const chunk = z.object({
  error: z.object({ message: z.string() }).optional(),
  choices: z.array(z.object({ delta: message.default({}) })).default([]),
  x_tollgate_cost: z.string().optional(),
});

function wordsOf(said: z.output<typeof message> | undefined): string {
  return said?.content || said?.audio?.transcript || '';
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
const chatSurface: ClientSurface = {
  path: '/v1/chat/completions',
  body: (model, prompt, stream) => ({ model, messages: [{ role: 'user', content: prompt }], stream }),
  textOf: (answer) => wordsOf(completion.parse(answer).choices[0]?.message),
  readEvent(data, reading) {
    if (data === '[DONE]') {
      reading.done = true;
      return;
    }
    const { error, choices, x_tollgate_cost: cost } = chunk.parse(JSON.parse(data));
    if (cost !== undefined) reading.costs.push(cost);
    if (error) reading.error = error.message;
    const text = wordsOf(choices[0]?.delta);
    if (!text) return;
    reading.content += text;
    reading.pieces++;
  },
};

/** What the provider's own tools wrote, and what it shortened, has no text. */
const toolBlock = z
  .object({ type: z.enum(['server_tool_use', 'web_search_tool_result', 'advisor_tool_result', 'compaction']) })
  .transform(() => ({ text: '' }));
const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const wholeMessage = z.object({ content: z.array(z.union([textBlock, toolBlock])) });
const messageEvent = z.object({
  type: z.string(),
  delta: z.object({ text: z.string().optional() }).optional(),
  error: z.object({ message: z.string() }).optional(),
  x_tollgate_cost: z.string().optional(),
});
const mostTokens = 1_000;

/** https://platform.claude.com/docs/en/build-with-claude/streaming */
const messagesSurface: ClientSurface = {
  path: '/v1/messages',
  body: (model, prompt, stream) => ({
    model,
    max_tokens: mostTokens,
    messages: [{ role: 'user', content: prompt }],
    stream,
  }),
  textOf: (answer) =>
    wholeMessage
      .parse(answer)
      .content.map(({ text }) => text)
      .join(''),
  readEvent(data, reading) {
    const { type, delta, error, x_tollgate_cost: cost } = messageEvent.parse(JSON.parse(data));
    if (cost !== undefined) reading.costs.push(cost);
    if (type === 'message_stop') reading.done = true;
    if (error) reading.error = error.message;
    if (type !== 'content_block_delta' || !delta?.text) return;
    reading.content += delta.text;
    reading.pieces++;
  },
};

const messageItem = z.object({ type: z.literal('message'), content: z.array(z.object({ text: z.string() })) });
/** What the provider's own tools did has no text. */
const toolItem = z
  .object({ type: z.enum(['web_search_call', 'file_search_call', 'code_interpreter_call']) })
  .transform(() => ({ content: [{ text: '' }] }));
const response = z.object({
  status: z.literal('completed'),
  output: z.array(z.union([messageItem, toolItem])),
});
const event = z.object({
  type: z.string(),
  delta: z.unknown().optional(),
  x_tollgate_cost: z.string().optional(),
});

/** https://platform.openai.com/docs/api-reference/responses-streaming */
const responsesSurface: ClientSurface = {
  path: '/v1/responses',
  body: (model, input, stream) => ({ model, input, stream }),
  textOf: (answer) =>
    response
      .parse(answer)
      .output.flatMap(({ content }) => content.map(({ text }) => text))
      .join(''),
  readEvent(data, reading) {
    const { type, delta, x_tollgate_cost: cost } = event.parse(JSON.parse(data));
    if (cost !== undefined) reading.costs.push(cost);
    if (type === 'response.completed') reading.done = true;
    if (type === 'response.failed' || type === 'error') reading.error = data;
    if (type !== 'response.output_text.delta' || typeof delta !== 'string') return;
    reading.content += delta;
    reading.pieces++;
  },
};

const answered = z.object({ data: z.array(z.object({ embedding: z.array(z.number()).min(1) })).min(1) });

/** Its text is its numbers. https://developers.openai.com/api/reference/resources/embeddings/methods/create */
const embeddingsSurface: ClientSurface = {
  path: '/v1/embeddings',
  body: (model, prompt) => ({ model, input: prompt }),
  textOf: (answer) => JSON.stringify(answered.parse(answer).data),
  readEvent() {
    throw new Error('Embeddings come in one piece.');
  },
};

export const clientSurfaces: Record<AskedSurface, ClientSurface> = {
  'openai-chat': chatSurface,
  'anthropic-messages': messagesSurface,
  'openai-responses': responsesSurface,
  'openai-embeddings': embeddingsSurface,
};
