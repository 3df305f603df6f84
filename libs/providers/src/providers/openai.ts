import { customToolsOfOpenai, refusesStopAtOpenai, responsesForTools, unknownToOpenai } from '../openai-rules';
import type { ProviderInput } from '../provider-input';

export const openai: ProviderInput = {
  id: 'openai',
  name: 'OpenAI',
  dialect: 'openai-chat',
  // Both endpoints serve the same models. https://platform.openai.com/docs/api-reference/responses/create
  alsoSpeaks: ['openai-responses'],
  baseUrl: 'https://api.openai.com/v1',
  apiKeyEnv: ['OPENAI_API_KEY'],
  documentation: 'https://platform.openai.com/docs/api-reference/chat/create',
  // With a key of an administrator alone. https://platform.openai.com/docs/api-reference/usage/costs
  bills: { form: 'openai', keyEnv: ['OPENAI_ADMIN_KEY'] },
  makes: ['gpt-', 'o1', 'o3', 'o4', 'text-embedding-', 'chatgpt-'],
  quirks: {
    // What others call reasoning, and how they are asked for usage, is in no schema here.
    // https://platform.openai.com/docs/api-reference/chat/create
    chatDropFields: unknownToOpenai,
    // In responses they search the web, but for the smallest.
    // https://platform.openai.com/docs/guides/tools-web-search#limitations
    webSearch: '^(?:gpt-(?:[5-9]|4o|4\\.1(?!-nano))|o[34])',
    // The same endpoint runs programs. https://platform.openai.com/docs/guides/tools-code-interpreter
    codeExecution: '^(?:gpt-(?:[5-9]|4)|o[34])',
    // It compacts conversations itself. https://platform.openai.com/docs/api-reference/responses/compact
    compacts: true,
    // Codex tells its agents their tasks in items that are OpenAI's alone.
    // https://github.com/openai/codex/issues/33551
    agentMessages: true,
    // `max_tokens` is deprecated and refused by reasoning models; every model takes `max_completion_tokens`.
    // Both endpoints serve the same models.
    // https://platform.openai.com/docs/api-reference/chat/create#chat_create-max_completion_tokens
    maxTokensField: 'max_completion_tokens',
    // Chat completions give no reasoning that could come back, so a tool loop forgets it there; responses
    // give it sealed.
    // https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context
    // Beside tools they refuse any effort but none from GPT-5.4 on,
    // https://github.com/openai/openai-openapi/issues/541 and from GPT-5.5 on, where one is the default, also
    // a request that names none: https://github.com/BerriAI/litellm/pull/34569
    toolsElsewhere: responsesForTools,
    // Tools of free text came with GPT-5.
    // https://platform.openai.com/docs/guides/function-calling#custom-tools
    customTools: customToolsOfOpenai,
    // A 400 for strict schemas in which an object is open, or something may be left out.
    // https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
    closedSchemas: true,
    // A 400, `'stop' is not supported with this model`.
    // https://github.com/huggingface/smolagents/pull/1868 https://github.com/BerriAI/litellm/pull/28650
    refusesStop: refusesStopAtOpenai,
    // `string_above_max_length`, in both dialects. https://github.com/maximhq/bifrost/pull/1000
    // https://github.com/theopenco/llmgateway/pull/3110
    longestName: 64,
    // None is in the schema of messages.
    // https://platform.openai.com/docs/api-reference/chat/create#chat_create-messages
    dropMessageFields: ['reasoning', 'reasoning_content', 'reasoning_details', 'cache_control'],
  },
};
