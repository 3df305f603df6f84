import type { ProviderInput } from '../provider-input';

export const vertexAnthropic: ProviderInput = {
  id: 'vertex-anthropic',
  name: 'Google Vertex AI (Claude)',
  dialect: 'anthropic-messages',
  baseUrl: 'https://aiplatform.googleapis.com/v1/projects/{project}/locations/global/publishers/anthropic/models',
  placeholders: { project: { env: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_VERTEX_PROJECT'] } },
  authentication: 'google',
  apiKeyEnv: ['GOOGLE_APPLICATION_CREDENTIALS'],
  documentation: 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai',
  quirks: {
    // Vertex AI has the model in the path.
    // https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
    modelInPath: true,
  },
};
