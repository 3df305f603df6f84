import { targetWith } from '../openai-chat/target.fixture';
import type { UpstreamTarget } from '../provider-dialect';

/** A deployment of Bedrock for tests, of this upstream model. */
export function bedrockTarget(upstreamModel = 'anthropic.claude-sonnet-4-5-20250929-v1:0'): UpstreamTarget {
  return { ...targetWith(false), upstreamModel };
}
