import { z } from 'zod';

const message = z
  .looseObject({
    role: z.string(),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  })
  .describe('A chat message; content is text or a list of parts');

/**
 * The body of POST /v1/chat/completions as far as this gateway itself reads it. The surface dialect validates
 * it (one pass over the parsed body, which is several times faster); everything else of the format is passed
 * on or translated.
 */
export const chatCompletionRequest = z.looseObject({
  model: z.string().describe('Model id from GET /v1/models'),
  messages: z.array(message).min(1),
  max_tokens: z.number().int().positive().nullish().describe('Most tokens to generate'),
  max_completion_tokens: z.number().int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stream: z.boolean().nullish().describe('Answer as server-sent events'),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
});

/** The answer, as far as every provider gives it. */
export const chatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.number().int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.number().int(),
      message: z.looseObject({ role: z.string(), content: z.string().nullable() }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: z.looseObject({
    prompt_tokens: z.number().int(),
    completion_tokens: z.number().int(),
    total_tokens: z.number().int(),
  }),
});
