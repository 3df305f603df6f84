import type { ProviderCodec } from '../canonical/codec';
import { ChatAnswerParser } from './answer-parser';
import { readError } from './read-error';
import { support } from './support';
import { toRequest } from './to-request';

/** Top-level fields that mean the same in OpenAI's two dialects. https://platform.openai.com/docs/api-reference/chat/create */
const sharedWithResponses = ['service_tier', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier'];

/** Providers that speak OpenAI's chat completions. https://platform.openai.com/docs/api-reference/chat */
export const openaiChatProviderCodec: ProviderCodec = {
  name: 'openai-chat',
  framing: 'sse',
  support,
  takesExtra: (surface, field) =>
    surface === 'openai-chat' || (surface === 'openai-responses' && sharedWithResponses.includes(field)),
  toRequest,
  answerParser: (context) => new ChatAnswerParser(context),
  readError,
};
