import type { CanonicalRequest } from '../canonical/generation-request';
import { targetWith } from '../openai-chat/target.fixture';
import type { UpstreamTarget } from '../provider-dialect';

/** A deployment of a Gemini model that thinks, for tests. */
export function geminiTarget(upstreamModel = 'gemini-2.5-flash'): UpstreamTarget {
  const target = targetWith(false);
  const { provider, model } = target;
  return {
    ...target,
    provider: { ...provider, name: 'Google', dialect: 'gemini' },
    model: { ...model, capabilities: { ...model.capabilities, reasoning: true } },
    upstreamModel,
  };
}

/** A request of a user who says hello. */
export function aRequest(overrides: Partial<CanonicalRequest> = {}): CanonicalRequest {
  return {
    surface: 'openai-chat',
    stream: false,
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
    unread: [],
    ...overrides,
  };
}
