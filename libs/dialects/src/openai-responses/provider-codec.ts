import type { ProviderCodec } from '../canonical/codec';
import { plainNames } from '../canonical/tool-names';
import { readError } from '../openai-chat/read-error';
import { sealerOf } from '../provider-dialect';
import { ResponsesAnswerParser } from './answer-parser';
import { support } from './support';
import { toRequest } from './to-request';

/**
 * Top-level fields that mean the same in OpenAI's two dialects.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
const sharedWithChat = [
  ...['service_tier', 'safety_identifier', 'verbosity'],
  // The last is that of GPT-5.6 and later. https://developers.openai.com/api/docs/guides/prompt-caching
  ...['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options'],
];

/** Providers that speak OpenAI's responses. https://platform.openai.com/docs/api-reference/responses */
export const openaiResponsesProviderCodec: ProviderCodec = {
  name: 'openai-responses',
  framing: 'sse',
  support,
  // https://platform.openai.com/docs/api-reference/responses/create#responses-create-tools
  toolNames: plainNames(64),
  takesExtra: (surface, field) =>
    surface === 'openai-responses' || (surface === 'openai-chat' && sharedWithChat.includes(field)),
  toRequest,
  answerParser: ({ newId, target }) => {
    const { name: providerName, id: providerId } = target.provider;
    return new ResponsesAnswerParser({ newId, providerName, providerId, sealer: sealerOf(target) });
  },
  readError,
};
