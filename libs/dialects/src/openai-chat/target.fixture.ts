import { catalogModel, providerDefinition } from '@tollgate/contracts';
import type { ProviderDefinition } from '@tollgate/contracts';
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
    model: catalogModel.parse({
      id: 'acme/large',
      name: 'Large',
      provider: 'acme',
      created: 0,
      status: 'active',
      contextWindow: null,
      maxOutputTokens: null,
      inputModalities: ['text'],
      outputModalities: ['text'],
      capabilities: {
        streaming: true,
        tools: true,
        vision: false,
        reasoning: false,
        structuredOutput: false,
        temperature: true,
      },
      prices: null,
      aliases: [],
      deployments: [{ id: 'acme', provider: 'acme', upstreamModel: 'large-2' }],
      fallbacks: [],
    }),
    upstreamModel: 'large-2',
    stream,
  };
}
