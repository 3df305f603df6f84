import { z } from 'zod';

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
