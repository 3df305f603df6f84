import { z } from 'zod';

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
