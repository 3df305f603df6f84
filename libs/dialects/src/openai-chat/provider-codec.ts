import type { ProviderCodec } from '../canonical/codec';
import { plainNames } from '../canonical/tool-names';
import { ChatAnswerParser } from './answer-parser';
import { readError } from './read-error';
import { support } from './support';
import { toRequest } from './to-request';

/**
 * Top-level fields that mean the same in OpenAI's two dialects.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
const sharedWithResponses = ['service_tier', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier'];

/**
 * Fields that servers of one's own read beside OpenAI's, whichever surface brings them; one that does not
 * know a field passes it over.
 * https://docs.vllm.ai/en/latest/serving/online_serving/
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
const fieldsOfServers = [
  'top_k',
  'min_p',
  'typical_p',
  'repetition_penalty',
  'repeat_penalty',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'min_tokens',
  'chat_template_kwargs',
];

/** Providers that speak OpenAI's chat completions. https://platform.openai.com/docs/api-reference/chat */
export const openaiChatProviderCodec: ProviderCodec = {
  name: 'openai-chat',
  framing: 'sse',
  support,
  ownServersTake: { features: ['top k'], fields: fieldsOfServers },
  // https://platform.openai.com/docs/api-reference/chat/create#chat_create-tools
  toolNames: plainNames(64),
  takesExtra: (surface, field) =>
    surface === 'openai-chat' || (surface === 'openai-responses' && sharedWithResponses.includes(field)),
  toRequest,
  answerParser: (context) => new ChatAnswerParser(context),
  readError,
};
