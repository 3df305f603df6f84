import { catalogModel } from '@tollgate/contracts/catalog';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import type { CanonicalRequest } from './canonical/generation-request';

/**
 * A model that can do everything with text, of which no more is known than what is told. It has one place, at
 * its provider.
 */
export function aModel(told: { id: string; upstreamModel: string } & Partial<CatalogModel>): CatalogModel {
  const { id, upstreamModel, ...rest } = told;
  const [provider = ''] = id.split('/');
  return catalogModel.parse({
    ...{ id, name: id, provider, created: 0, status: 'active', contextWindow: null, maxOutputTokens: null },
    ...{ inputModalities: ['text'], outputModalities: ['text'], prices: null, aliases: [], fallbacks: [] },
    capabilities: able,
    deployments: [{ id: provider, provider, upstreamModel }],
    ...rest,
  });
}

/** What a model can do that can do everything. */
export const able: CatalogModel['capabilities'] = {
  streaming: true,
  tools: true,
  vision: true,
  reasoning: true,
  structuredOutput: true,
  temperature: true,
};

/** A request of a caller of chat completions who says hello. */
export function aRequest(overrides: Partial<CanonicalRequest> = {}): CanonicalRequest {
  return {
    surface: 'openai-chat',
    stream: false,
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
    unread: [],
    ...overrides,
  };
}
