import type { ProviderInput } from '../provider-input';

export const anthropic: ProviderInput = {
  id: 'anthropic',
  name: 'Anthropic',
  dialect: 'anthropic-messages',
  baseUrl: 'https://api.anthropic.com/v1',
  authentication: 'x-api-key',
  apiKeyEnv: ['ANTHROPIC_API_KEY'],
  documentation: 'https://docs.claude.com/en/api/messages',
  // With a key of an administrator alone. https://platform.claude.com/docs/en/manage-claude/usage-cost-api
  bills: { form: 'anthropic', keyEnv: ['ANTHROPIC_ADMIN_KEY'] },
  makes: ['claude-'],
  quirks: {
    // Its models search the web.
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
    webSearch: '^claude-',
    // They write programs that run at Anthropic.
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool
    codeExecution: '^claude-',
  },
};
