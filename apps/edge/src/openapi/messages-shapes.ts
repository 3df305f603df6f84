import { z } from 'zod';

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
