import { providerDefinition } from '@tollgate/contracts/catalog';
import type { AnswerContext, ParseContext } from '../canonical/codec';
import type { CanonicalRequest } from '../canonical/generation-request';
import { able, aModel, aRequest } from '../builders.fixture';
import type { UpstreamTarget } from '../provider-dialect';

/** A deployment of this Claude for tests; `temperature` false: a model that refuses sampling. */
export function targetOf(upstreamModel: string, temperature = true): UpstreamTarget {
  return {
    provider: providerDefinition.parse({
      id: 'anthropic',
      name: 'Anthropic',
      dialect: 'anthropic-messages',
      baseUrl: 'https://api.anthropic.example/v1',
      apiKeyEnv: [],
    }),
    model: aModel({
      id: `anthropic/${upstreamModel}`,
      upstreamModel,
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
      inputModalities: ['text', 'image', 'pdf'],
      capabilities: { ...able, temperature },
    }),
    upstreamModel,
    stream: false,
  };
}

export function parseContext(request: CanonicalRequest = aRequest(), model = 'claude-opus-4-6'): ParseContext {
  return { request, target: targetOf(model), newId: () => 'x'.repeat(24) };
}

export function answerContext(request: CanonicalRequest = aRequest()): AnswerContext {
  return { request, body: {}, model: 'acme/large', includeUsage: false, newId: () => 'x'.repeat(24), nowS: 0 };
}
