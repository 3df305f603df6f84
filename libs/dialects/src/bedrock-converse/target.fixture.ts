import type { CanonicalRequest } from '../canonical/generation-request';
import { targetWith } from '../openai-chat/target.fixture';
import type { UpstreamTarget } from '../provider-dialect';

/** A deployment of Bedrock for tests, of this upstream model. */
export function bedrockTarget(upstreamModel = 'anthropic.claude-sonnet-4-5-20250929-v1:0'): UpstreamTarget {
  return { ...targetWith(false), upstreamModel };
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
