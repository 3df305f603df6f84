import type { Translation } from '../provider-dialect';
import { parseRequestJson } from '../wire/request-json';
import { answerReader } from './answer-reader';
import { countInputTokens } from './count-input-tokens';
import { readError } from './read-error';
import { toUpstreamRequest } from './to-upstream-request';

/**
 * Chat completions to chat completions: bytes pass through in both directions, and only what the gateway owns
 * is touched.
 */
export const openaiChatToOpenaiChat: Translation = {
  surface: 'openai-chat',
  provider: 'openai-chat',
  prepare: (body, target, { includeUsage }) => ({
    request: toUpstreamRequest(body, target),
    answerReader: () => answerReader(target, { includeUsage }),
  }),
  readError,
  countInputTokens: (body) => countInputTokens(parseRequestJson(body)),
};
