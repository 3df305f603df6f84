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
