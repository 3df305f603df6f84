import { providerDefinition } from '@tollgate/contracts/catalog';
import type { ProviderDefinition } from '@tollgate/contracts/catalog';
import { able, aModel } from '../builders.fixture';
import type { UpstreamTarget } from '../provider-dialect';

/** A deployment for tests, at a provider with these quirks. */
export function targetWith(stream: boolean, quirks: Partial<ProviderDefinition['quirks']> = {}): UpstreamTarget {
  return {
    provider: providerDefinition.parse({
      id: 'acme',
      name: 'Acme',
      dialect: 'openai-chat',
      baseUrl: 'https://api.acme.example/v1',
      apiKeyEnv: [],
      quirks,
    }),
    model: aModel({
      id: 'acme/large',
      upstreamModel: 'large-2',
      capabilities: { ...able, vision: false, reasoning: false, structuredOutput: false },
    }),
    upstreamModel: 'large-2',
    stream,
  };
}
