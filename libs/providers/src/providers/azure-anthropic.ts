import type { ProviderInput } from '../provider-input';

// The names of models are those of an operator's own deployments; the catalog takes them to be called like
// their models. Its variables are those of Anthropic's own clients.
// https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry
export const azureAnthropic: ProviderInput = {
  id: 'azure-anthropic',
  name: 'Microsoft Foundry (Claude)',
  dialect: 'anthropic-messages',
  baseUrl: 'https://{resource}.services.ai.azure.com/anthropic/v1',
  placeholders: { resource: { env: ['ANTHROPIC_FOUNDRY_RESOURCE'] } },
  authentication: 'x-api-key',
  apiKeyEnv: ['ANTHROPIC_FOUNDRY_API_KEY'],
  documentation: 'https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry',
};
