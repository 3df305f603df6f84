import { z } from 'zod';
import { errorDetails } from '@tollgate/contracts';

/** The body of every error, but for those of the messages endpoints. */
export const errorAnswer = z.object({
  error: z.object({
    message: z.string(),
    type: z.enum([
      'invalid_request_error',
      'authentication_error',
      'permission_error',
      'not_found_error',
      'rate_limit_error',
      'internal_error',
      'upstream_error',
      'overloaded_error',
      'timeout_error',
    ]),
    code: z.number().int().describe('The HTTP status'),
    reason: z.literal('guardrail_blocked').optional().describe('Why a guardrail of the operator is named'),
    guardrail: z.string().optional().describe('The guardrail that refused the request or the answer'),
    details: errorDetails.optional().describe('What programs act on, such as the reason context_length_exceeded'),
  }),
});

/** The body of every error of the messages endpoints, as Anthropic's clients read it. */
export const messagesErrorAnswer = z.object({
  type: z.literal('error'),
  error: errorAnswer.shape.error.extend({
    type: z.enum([
      'invalid_request_error',
      'authentication_error',
      'permission_error',
      'not_found_error',
      'request_too_large',
      'rate_limit_error',
      'api_error',
      'overloaded_error',
      'timeout_error',
    ]),
  }),
  request_id: z.string(),
});

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
