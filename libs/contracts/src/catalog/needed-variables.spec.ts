import { neededVariables } from './needed-variables';

const bearer = { authentication: 'bearer' as const, baseUrl: 'https://acme.test/v1', placeholders: {} };
const region = { env: ['AWS_REGION'], default: null };

it.each([
  [{ ...bearer, apiKeyEnv: [] }, null],
  [{ ...bearer, apiKeyEnv: ['ACME_API_KEY'] }, 'ACME_API_KEY'],
  [{ ...bearer, apiKeyEnv: ['ACME_API_KEY', 'ACME_KEY'] }, 'ACME_API_KEY or ACME_KEY'],
  [
    { ...bearer, authentication: 'aws' as const, apiKeyEnv: ['AWS_BEARER_TOKEN_BEDROCK'] },
    'AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY',
  ],
  [
    { ...bearer, apiKeyEnv: ['KEY'], baseUrl: 'https://{region}.acme.test', placeholders: { region, other: region } },
    'KEY, and AWS_REGION',
  ],
  [
    {
      ...bearer,
      apiKeyEnv: ['KEY'],
      baseUrl: 'https://{region}.acme.test',
      placeholders: { region: { ...region, default: 'eu-1' } },
    },
    'KEY',
  ],
])('%j needs %s', (provider, words) => expect(neededVariables(provider)).toBe(words));
