import type { ProviderInput } from '../provider-input';

/**
 * As reported in https://github.com/anthropics/claude-code/issues/34802
 * https://github.com/anthropics/claude-code/issues/21625 https://github.com/QuantumNous/new-api/issues/2975
 * https://github.com/vercel/ai/issues/10981
 */
const refusedBetas = [
  'adaptive-thinking-2026-01-28',
  'effort-2025-11-24',
  'prompt-caching-scope-2026-01-05',
  'structured-outputs-2025-11-13',
  'structured-outputs-2025-12-15',
];

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
    // A 400, `Unexpected value(s) … for the anthropic-beta header`. Claude Code sends some, and what they
    // stand for needs none any more. https://github.com/anthropics/claude-code/issues/34802
    dropBetas: refusedBetas,
  },
};
