import type { ReasoningSetting } from '../canonical/generation-request';
import type { UpstreamTarget } from '../provider-dialect';

/**
 * Our own scale of tokens for efforts; null: as much as the model likes, which is Cohere's default.
 * https://docs.cohere.com/docs/reasoning
 */
const budgets = { minimal: 1_024, low: 2_048, medium: 8_192, high: null, xhigh: null, max: null };

/**
 * `thinking`; undefined where there is nothing to say. Models that reason do so unless they are told not to.
 */
export function toThinking(
  setting: ReasoningSetting | undefined,
  { model }: UpstreamTarget,
  warn: (warning: string) => void,
): Record<string, unknown> | undefined {
  if (setting === undefined) return undefined;
  const { off, effort, budgetTokens } = setting;
  const isOff = off === true || effort === 'none';
  if (!model.capabilities.reasoning) {
    if (!isOff) warn(`reasoning was dropped: ${model.id} has no setting for it`);
    return undefined;
  }
  if (isOff) return { type: 'disabled' };
  const tokens = budgetTokens ?? (effort === undefined ? null : budgets[effort]);
  return tokens === null ? { type: 'enabled' } : { type: 'enabled', token_budget: tokens };
}
