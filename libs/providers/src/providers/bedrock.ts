import type { ProviderInput } from '../provider-input';

export const bedrock: ProviderInput = {
  id: 'bedrock',
  name: 'Amazon Bedrock',
  dialect: 'bedrock-converse',
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  placeholders: { region: { env: ['AWS_REGION', 'AWS_DEFAULT_REGION'], default: 'us-east-1' } },
  authentication: 'aws',
  // Keys made for Bedrock alone; without one, requests are signed.
  // https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html
  apiKeyEnv: ['AWS_BEARER_TOKEN_BEDROCK'],
  documentation: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html',
};
