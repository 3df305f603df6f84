import { z } from 'zod';

/** The body of POST /v1/rerank as far as this gateway itself reads it; the surface dialect validates it. */
export const rerankRequest = z.looseObject({
  model: z.string().describe('Id of a reranking model from GET /v1/models'),
  query: z.string().min(1),
  documents: z
    .array(z.union([z.string(), z.looseObject({})]))
    .min(1)
    .max(1000),
  top_n: z.number().int().positive().nullish().describe('How many of the best are wanted (default all)'),
});

/** The answer passes as the server gives it; all of them tell these. */
export const rerankAnswer = z.looseObject({
  results: z.array(z.looseObject({ index: z.number().int(), relevance_score: z.number() })),
});
