import type { ProviderInput } from '../provider-input';

export const google: ProviderInput = {
  id: 'google',
  name: 'Google',
  dialect: 'gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  authentication: 'x-goog-api-key',
  // Google's own SDK takes GOOGLE_API_KEY before GEMINI_API_KEY.
  // https://ai.google.dev/gemini-api/docs/api-key
  apiKeyEnv: ['GOOGLE_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  documentation: 'https://ai.google.dev/api/generate-content',
  makes: ['gemini-', 'gemma-'],
  quirks: {
    // All but embeddings search the web. https://ai.google.dev/gemini-api/docs/google-search#supported_models
    webSearch: '^gemini-(?!embedding)',
    // The same write programs that run at Google. https://ai.google.dev/gemini-api/docs/code-execution
    codeExecution: '^gemini-(?!embedding)',
    // Projects made since 2026-10-26 keep every request for up to 55 days, unless it has `store: false`, a
    // field that Vertex AI does not know.
    // https://ai.google.dev/gemini-api/docs/logs-datasets
    keepsUnlessTold: true,
    // https://ai.google.dev/gemini-api/docs/flex-inference
    // https://ai.google.dev/gemini-api/docs/priority-inference
    takesServiceTier: true,
  },
};
