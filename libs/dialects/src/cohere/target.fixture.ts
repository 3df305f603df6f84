import { targetWith } from '../openai-chat/target.fixture';
import type { UpstreamTarget } from '../provider-dialect';

/** A deployment of a model of Cohere's, for tests. */
export function cohereTarget(reasoning: boolean): UpstreamTarget {
  const target = targetWith(false);
  const { provider, model } = target;
  return {
    ...target,
    provider: { ...provider, name: 'Cohere', dialect: 'cohere' },
    model: { ...model, capabilities: { ...model.capabilities, reasoning } },
    upstreamModel: reasoning ? 'command-a-reasoning-08-2025' : 'command-a-03-2025',
  };
}
