import type { ProviderInput } from '../provider-input';

// The global endpoint. A region has a host of its own, which tollgate.yaml can set:
// docs/tollgate.example.yaml shows it.
// https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations
export const vertex: ProviderInput = {
  id: 'vertex',
  name: 'Google Vertex AI',
  dialect: 'gemini',
  baseUrl: 'https://aiplatform.googleapis.com/v1/projects/{project}/locations/global/publishers/google',
  placeholders: { project: { env: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_VERTEX_PROJECT'] } },
  authentication: 'google',
  apiKeyEnv: ['GOOGLE_APPLICATION_CREDENTIALS'],
  documentation: 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
};
