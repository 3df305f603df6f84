import { customToolsOfOpenai, refusesStopAtOpenai, responsesForTools, unknownToOpenai } from '../openai-rules';
import type { ProviderInput } from '../provider-input';

// The same host and keys as Bedrock's own dialect, which these models are not behind.
// https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html
export const bedrockOpenai: ProviderInput = {
  id: 'bedrock-openai',
  name: 'Amazon Bedrock (OpenAI)',
  dialect: 'openai-chat',
  // Both endpoints serve these models. https://developers.openai.com/api/docs/guides/amazon-bedrock
  alsoSpeaks: ['openai-responses'],
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com/openai/v1',
  placeholders: { region: { env: ['AWS_REGION', 'AWS_DEFAULT_REGION'], default: 'us-east-1' } },
  authentication: 'aws',
  apiKeyEnv: ['AWS_BEARER_TOKEN_BEDROCK'],
  documentation: 'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-responses-api.html',
  quirks: {
    // What others call reasoning, and how they are asked for usage, is in no schema here.
    // https://platform.openai.com/docs/api-reference/chat/create
    chatDropFields: unknownToOpenai,
    // Codex says by which programs it has its access, a field of OpenAI's own:
    // https://github.com/lidge-jun/opencodex/issues/4853
    dropFields: ['access_programs'],
    // The models are OpenAI's, which refuse `max_tokens`.
    // https://platform.openai.com/docs/api-reference/chat/create#chat_create-max_completion_tokens
    maxTokensField: 'max_completion_tokens',
    // Beside tools they refuse any effort but none, https://github.com/openai/openai-openapi/issues/541
    // and from GPT-5.5 on, where one is the default, also a request that names none:
    // https://github.com/BerriAI/litellm/pull/34569
    toolsElsewhere: responsesForTools,
    // Tools of free text came with GPT-5.
    // https://platform.openai.com/docs/guides/function-calling#custom-tools
    customTools: customToolsOfOpenai,
    // A 400, `'stop' is not supported with this model`.
    // https://github.com/huggingface/smolagents/pull/1868 https://github.com/BerriAI/litellm/pull/28650
    refusesStop: refusesStopAtOpenai,
    // No `longestName`: no bound for its `prompt_cache_key` stands in its documentation, nor in reports, such
    // as that of https://github.com/BerriAI/litellm/pull/38489, where it is taken.
    // None is in the schema of messages.
    // https://platform.openai.com/docs/api-reference/chat/create#chat_create-messages
    dropMessageFields: ['reasoning', 'reasoning_content', 'reasoning_details', 'cache_control'],
  },
};
