import { passThrough } from '../canonical/pass-through';
import type { Translation } from '../provider-dialect';
import { countInputTokens } from './count-input-tokens';
import { openaiResponsesProviderCodec } from './provider-codec';
import { openaiResponsesSurfaceCodec } from './surface-codec';

/** Responses to responses: bytes pass in both directions, kept responses and OpenAI's own tools included. */
export const openaiResponsesToOpenaiResponses: Translation = passThrough({
  surface: openaiResponsesSurfaceCodec,
  provider: openaiResponsesProviderCodec,
  address: ({ upstreamModel, stream }) => ({
    path: '/responses',
    headers: { 'content-type': 'application/json', accept: stream ? 'text/event-stream' : 'application/json' },
    members: { model: upstreamModel },
  }),
  ownedFields: ['model', 'input', 'instructions', 'stream', 'max_output_tokens', 'temperature', 'top_p'],
  countInputTokens,
});
