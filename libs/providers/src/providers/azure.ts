import { customToolsOfOpenai, refusesStopAtOpenai, responsesForTools, unknownToOpenai } from '../openai-rules';
import type { ProviderInput } from '../provider-input';

// Azure's names for models are those of an operator's own deployments; the catalog takes them to be called
// like their models.
// Another name is set by `upstreamModel` in tollgate.yaml.
// https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/create-resource
export const azure: ProviderInput = {
  id: 'azure',
  name: 'Azure OpenAI',
  dialect: 'openai-chat',
  // The v1 API, which needs no api-version and serves both.
  // https://learn.microsoft.com/en-us/azure/ai-foundry/openai/api-version-lifecycle
  alsoSpeaks: ['openai-responses'],
  baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
  placeholders: { resource: { env: ['AZURE_OPENAI_RESOURCE', 'AZURE_RESOURCE_NAME'] } },
  authentication: 'api-key',
  apiKeyEnv: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  documentation: 'https://learn.microsoft.com/en-us/azure/ai-foundry/openai/latest',
  quirks: {
    // What others call reasoning, and how they are asked for usage, is in no schema here.
    // https://learn.microsoft.com/en-us/azure/ai-foundry/openai/latest
    chatDropFields: unknownToOpenai,
    // It compacts conversations itself.
    // https://learn.microsoft.com/en-us/azure/foundry/reference/rest/compactconversation
    compacts: true,
    // Reasoning models refuse `max_tokens`; every model takes `max_completion_tokens`.
    // https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/reasoning
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
    // https://learn.microsoft.com/en-us/azure/foundry/openai/how-to/structured-outputs#all-fields-must-be-required
    closedSchemas: true,
    // A 400, `'stop' is not supported with this model`.
    // https://github.com/huggingface/smolagents/pull/1868 https://github.com/BerriAI/litellm/pull/28650
    refusesStop: refusesStopAtOpenai,
    // It refuses names of more characters as OpenAI does, in its words, ids of calls among them:
    // https://github.com/openai/codex/issues/14355 https://github.com/buhlergroup/buhler-chat/pull/181
    longestName: 64,
    // None is in the schema of messages. https://learn.microsoft.com/en-us/azure/ai-foundry/openai/latest
    dropMessageFields: ['reasoning', 'reasoning_content', 'reasoning_details', 'cache_control'],
    // But Kimi's models want it back here as at their maker's: https://github.com/BerriAI/litellm/pull/36919
    insistsOnReasoning: ['kimi-'],
    // A 422, `Input should be 'system', 'user', 'assistant' or 'tool'`.
    // https://github.com/OpenCoworkAI/open-codesign/issues/257
    systemForDeveloper: '^(?:[Kk]imi|[Dd]eep[Ss]eek|[Qq]wen)',
  },
};
