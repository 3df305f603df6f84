import { endUserOf } from '../openai-chat/read-request';
import { openaiChatSurface } from '../openai-chat/surface';
import type { SurfaceDialect } from '../surface-dialect';
import { isRecord } from '../wire/json-value';
import { countInputTokens } from './count-input-tokens';
import { fromRequest } from './from-request';

/**
 * OpenAI embeddings, as callers speak them; errors are those of chat completions, and nothing streams.
 * https://platform.openai.com/docs/api-reference/embeddings
 */
export const openaiEmbeddingsSurface: SurfaceDialect = {
  ...openaiChatSurface,
  name: 'openai-embeddings',
  path: '/v1/embeddings',
  inOwnForm: (body) => body,
  readRequest: (body, bodyBytes) => ({
    model: fromRequest(body).model,
    stream: false,
    includeUsage: false,
    maxOutputTokens: 0,
    // No tokenizer makes more tokens of a text than it has bytes, and a token's number takes two bytes or
    // more.
    inputTokensEstimate: bodyBytes,
    mediaTokens: 0,
    needs: [],
    endUser: isRecord(body) ? endUserOf(body) : undefined,
  }),
  countInputTokens,
  keepsState: () => false,
};
