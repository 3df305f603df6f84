import type { CanonicalRequest } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';
import type { ModelFacts } from './model-facts';

/** `temperature`, `top_p` and `top_k`, as far as the model takes them; `warnings` hears of the rest. */
export function toSampling(
  request: CanonicalRequest,
  { model }: UpstreamTarget,
  facts: ModelFacts,
  thinks: boolean,
  warnings: string[],
): Record<string, unknown> {
  const sampling = { temperature: temperatureOf(request, warnings), top_p: request.topP, top_k: request.topK };
  const drop = (name: keyof typeof sampling, why: string): void => {
    if (sampling[name] === undefined) return;
    sampling[name] = undefined;
    warnings.push(`${name} was dropped: ${why}`);
  };
  if (!model.capabilities.temperature) {
    // https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-7
    for (const name of ['temperature', 'top_p', 'top_k'] as const) drop(name, 'this model sets its own sampling');
    return sampling;
  }
  // https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility
  if (thinks) {
    if (sampling.temperature !== 1) drop('temperature', 'this model takes none while it reasons');
    if ((sampling.top_p ?? 1) < 0.95) drop('top_p', 'this model takes 0.95 to 1 while it reasons');
    drop('top_k', 'this model takes none while it reasons');
  }
  if (facts.refusesTemperatureWithTopP && sampling.temperature !== undefined)
    drop('top_p', 'this model does not take it beside temperature');
  return sampling;
}

function temperatureOf({ temperature }: CanonicalRequest, warnings: string[]): number | undefined {
  if (temperature === undefined || temperature <= 1) return temperature;
  warnings.push(`temperature ${temperature} was clamped to 1: this model takes 0 to 1`);
  return 1;
}
