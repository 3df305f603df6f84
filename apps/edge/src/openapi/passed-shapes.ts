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

const tokenizersModel = z.string().describe('Id of a model from GET /v1/models whose server has a tokenizer to ask');
const tokens = z.array(z.number().int());

/**
 * The body of POST /v1/tokenize: nothing but `model` is read here. llama.cpp wants `content`, vLLM and SGLang
 * `prompt` (or, vLLM, `messages`).
 */
export const tokenizeRequest = z.looseObject({
  model: tokenizersModel,
  content: z.string().optional(),
  prompt: z.union([z.string(), z.array(z.string())]).optional(),
  messages: z.array(z.looseObject({})).optional(),
});

/**
 * The answer passes as the server gives it; with `with_pieces`, llama.cpp tells the text of each token, too.
 */
export const tokenizeAnswer = z.looseObject({
  tokens: z.array(z.union([z.number().int(), tokens, z.looseObject({ id: z.number().int() })])),
});

/** The body of POST /v1/detokenize; SGLang takes several lists, too. */
export const detokenizeRequest = z.looseObject({ model: tokenizersModel, tokens: z.union([tokens, z.array(tokens)]) });

/** The text is `content` of llama.cpp, `prompt` of vLLM and `text` of SGLang. */
export const detokenizeAnswer = z.looseObject({
  content: z.string().optional(),
  prompt: z.string().optional(),
  text: z.union([z.string(), z.array(z.string())]).optional(),
});
