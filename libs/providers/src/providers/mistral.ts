import type { ProviderInput } from '../provider-input';

/**
 * What thoughts, marks for the cache and other makers' answers bring, and what OpenAI's clients add to the
 * answers that they hand out: https://github.com/openai/openai-node/blob/master/src/lib/parser.ts
 */
const outsideMessages = [
  ...['reasoning', 'reasoning_content', 'reasoning_details', 'cache_control'],
  ...['name', 'refusal', 'annotations', 'audio', 'function_call', 'extra_content', 'provider_specific_fields'],
  ...['parsed', 'parsed_arguments'],
];

/** What requests to OpenAI may have. */
const outsideRequests = [
  ...['seed', 'user', 'store', 'service_tier', 'safety_identifier', 'prompt_cache_retention', 'verbosity'],
  'modalities',
];

export const mistral: ProviderInput = {
  id: 'mistral',
  name: 'Mistral',
  dialect: 'openai-chat',
  baseUrl: 'https://api.mistral.ai/v1',
  apiKeyEnv: ['MISTRAL_API_KEY'],
  documentation: 'https://docs.mistral.ai/api/#tag/chat',
  makes: ['mistral-', 'ministral-', 'codestral-', 'magistral-', 'devstral-', 'voxtral-'],
  quirks: {
    // What OpenRouter calls reasoning and usage is not in its schema: effort is told by `reasoning_effort`.
    // https://docs.mistral.ai/api/#tag/chat/operation/chat_completion_v1_chat_completions_post
    chatDropFields: ['thinking', 'reasoning', 'include_reasoning', 'usage'],
    // Any field outside the schema is a 422 (`extra_forbidden`), and the schema has `max_tokens` only.
    // https://docs.mistral.ai/api/#tag/chat/operation/chat_completion_v1_chat_completions_post
    maxTokensField: 'max_tokens',
    // `stream_options.include_usage` is a 422; the last chunk carries usage unasked.
    // https://github.com/BerriAI/litellm/issues/8978
    streamsUsageUnasked: true,
    // A 422, `Input should be less than or equal to 1.5`.
    // https://github.com/SillyTavern/SillyTavern/pull/4856
    highestTemperature: 1.5,
    // Outside the schema (a seed is called `random_seed` there), and none of them changes what an answer may
    // say. `prompt_cache_key` is in it.
    // https://docs.mistral.ai/api/#tag/chat/operation/chat_completion_v1_chat_completions_post
    // `modalities` is `["text"]` from clients of several makers: edge lets nothing else by for these models.
    // https://github.com/mistralai/client-python (models/chatcompletionrequest.py)
    dropFields: outsideRequests,
    // `extra_forbidden` has `input: null` as well. https://github.com/zeroclaw-labs/zeroclaw/issues/2693
    refusesNull: true,
    // `dimensions` is outside the schema of embeddings; codestral-embed takes its own name of it, and
    // mistral-embed has one size. https://docs.mistral.ai/api/endpoint/embeddings
    // https://github.com/garrytan/gbrain/pull/3001
    dimensionsField: 'output_dimension',
    // Outside the schema of messages and calls, a 422 (`extra_forbidden`), also where they are null, as
    // clients send an answer back. https://github.com/zeroclaw-labs/zeroclaw/issues/2693
    // https://github.com/BerriAI/litellm/issues/30835
    // https://github.com/Gage-Technologies/mistral-go/issues/3
    dropMessageFields: outsideMessages,
    // Messages are of four roles.
    // https://docs.mistral.ai/api/#tag/chat/operation/chat_completion_v1_chat_completions_post
    systemForDeveloper: '.',
    // Other ids are a 400, `Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9`,
    // https://github.com/mistralai/mistral-vibe/issues/1075 and so is
    // `Unexpected role 'user' after role 'tool'`: https://github.com/BerriAI/litellm/issues/17761
    mistralTurns: '.',
  },
};
