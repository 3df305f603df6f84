import { z } from 'zod';
import { chatCompletionRequest } from './chat-shapes';

const blocks = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);

const prompt = {
  model: z.string().describe('Model id from GET /v1/models'),
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: blocks }))
    .min(1)
    .describe('Messages; content is text or a list of blocks'),
  system: blocks.nullish(),
  tools: z.array(z.looseObject({})).nullish(),
  tool_choice: z.looseObject({}).nullish(),
  thinking: z.looseObject({}).nullish(),
};

/** The body of POST /v1/messages as far as this gateway itself reads it; the surface dialect validates it. */
export const messagesRequest = z.looseObject({
  ...prompt,
  max_tokens: z.number().int().positive().describe('Most tokens to generate'),
  temperature: z.number().min(0).max(2).nullish().describe("Clamped to the model's own range"),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.number().int().min(0).nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  stream: z.boolean().nullish().describe('Answer as server-sent events'),
});

/** The answer, as far as every provider gives it. */
export const messagesAnswer = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  usage: z.looseObject({ input_tokens: z.number().int(), output_tokens: z.number().int() }),
});

/** The body of POST /v1/messages/count_tokens. */
export const countTokensRequest = z.looseObject(prompt);

export const countTokensAnswer = z.looseObject({ input_tokens: z.number().int() });

const tokens = z.array(z.number().int().min(0)).min(1);

/**
 * The body of POST /v1/embeddings as far as this gateway itself reads it; the surface dialect validates it.
 */
export const embeddingsRequest = z.looseObject({
  model: z.string().describe('Id of an embedding model from GET /v1/models'),
  input: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2048), tokens, z.array(tokens).min(1).max(2048)])
    .describe('A text, a list of texts, or the same as tokens, which only models of OpenAI take'),
  encoding_format: z
    .enum(['float', 'base64'])
    .nullish()
    .describe('base64: 32-bit floats, lowest byte first (default float)'),
  dimensions: z.number().int().positive().nullish(),
  user: z.string().nullish(),
});

export const embeddingsAnswer = z.looseObject({
  object: z.literal('list'),
  data: z.array(
    z.looseObject({
      object: z.literal('embedding'),
      index: z.number().int(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  model: z.string(),
  usage: z.looseObject({ prompt_tokens: z.number().int(), total_tokens: z.number().int() }),
});

const text = z.union([z.string(), z.array(z.string()).min(1)]);
const { max_tokens, temperature, top_p, stop, stream } = chatCompletionRequest.shape;

/**
 * The body of POST /v1/completions as far as this gateway itself reads it; the surface dialect validates it.
 */
export const completionsRequest = z.looseObject({
  model: z.string().describe('Id of a model whose server has text completions'),
  prompt: z.union([text, tokens, z.array(tokens).min(1)]).describe('A text, several texts, or the same as tokens'),
  suffix: z.string().nullish().describe('What follows the text that is asked for, where the server takes it'),
  max_tokens,
  temperature,
  top_p,
  stop,
  stream,
});

export const completionsAnswer = z.looseObject({
  object: z.literal('text_completion'),
  choices: z.array(z.looseObject({ index: z.number().int(), text: z.string(), finish_reason: z.string().nullish() })),
});

/**
 * The body of POST /v1/responses as far as this gateway itself reads it; the surface dialect validates it.
 */
export const responsesRequest = z.looseObject({
  model: z.string().describe('Model id from GET /v1/models'),
  input: z
    .union([z.string(), z.array(z.looseObject({}))])
    .describe('Text, or a list of items. May be left out with previous_response_id or conversation'),
  previous_response_id: z
    .string()
    .max(256)
    .nullish()
    .describe('A kept response of this account, of any model: the conversation up to it goes before the input'),
  conversation: z
    .union([z.string(), z.looseObject({ id: z.string() })])
    .nullish()
    .describe('A conversation of this account: its items go before the input, and input and output are added to it'),
  store: z.boolean().nullish().describe('false: the response is not kept. Else it is for 30 days, encrypted'),
  instructions: z.string().nullish(),
  max_output_tokens: z.number().int().positive().nullish().describe('Most tokens to generate'),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  tools: z.array(z.looseObject({})).nullish(),
  stream: z.boolean().nullish().describe('Answer as server-sent events'),
});

/** The answer of POST /v1/responses/input_tokens. */
export const inputTokensAnswer = z.looseObject({
  object: z.literal('response.input_tokens'),
  input_tokens: z.number().int(),
});

/** The answer of POST /v1/responses/compact. */
export const compactedAnswer = z.looseObject({
  id: z.string(),
  object: z.literal('response.compaction'),
  created_at: z.number(),
  output: z
    .array(z.looseObject({ type: z.string() }))
    .describe(
      'What to send as the input of the next request: the messages of the user, and one item of the type compaction',
    ),
  usage: z.looseObject({}).nullish(),
});

/** The answer, as far as every provider gives it. */
export const responsesAnswer = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.number(),
  status: z.string(),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string() })),
  usage: z
    .looseObject({
      input_tokens: z.number().int(),
      output_tokens: z.number().int(),
      total_tokens: z.number().int(),
    })
    .nullish(),
});
