import { catalogModel, providerDefinition } from '@tollgate/contracts';
import type { DialectName } from '@tollgate/contracts';
import type { UpstreamTarget } from '../provider-dialect';

/** An embedding model at a provider of this dialect. */
export function embeddingTarget(dialect: DialectName, quirks: { dropFields?: string[] } = {}): UpstreamTarget {
  return {
    provider: providerDefinition.parse({
      id: 'acme',
      name: 'Acme',
      dialect,
      baseUrl: 'https://acme.example/v1',
      apiKeyEnv: [],
      quirks,
    }),
    model: catalogModel.parse({
      id: 'acme/vectors',
      name: 'Vectors',
      provider: 'acme',
      kind: 'embedding',
      created: 1,
      status: 'active',
      contextWindow: 8_191,
      maxOutputTokens: null,
      inputModalities: ['text'],
      outputModalities: ['embedding'],
      capabilities: {
        streaming: false,
        tools: false,
        vision: false,
        reasoning: false,
        structuredOutput: false,
        temperature: false,
      },
      prices: null,
      aliases: [],
      deployments: [{ id: 'd', provider: 'acme', upstreamModel: 'vectors-1' }],
      fallbacks: [],
    }),
    upstreamModel: 'vectors-1',
    stream: false,
  };
}
