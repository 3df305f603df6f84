import type { DialectName } from '@tollgate/contracts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import { aModel } from '../builders.fixture';
import type { UpstreamTarget } from '../provider-dialect';

/** An embedding model at a provider of this dialect. */
export function embeddingTarget(
  dialect: DialectName,
  quirks: { dropFields?: string[]; dimensionsField?: 'output_dimension' } = {},
): UpstreamTarget {
  return {
    provider: providerDefinition.parse({
      id: 'acme',
      name: 'Acme',
      dialect,
      baseUrl: 'https://acme.example/v1',
      apiKeyEnv: [],
      quirks,
    }),
    model: aModel({
      id: 'acme/vectors',
      upstreamModel: 'vectors-1',
      kind: 'embedding',
      contextWindow: 8_191,
      outputModalities: ['embedding'],
    }),
    upstreamModel: 'vectors-1',
    stream: false,
  };
}
