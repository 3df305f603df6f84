import type { ReasoningSetting } from '../canonical/generation-request';
import type { Effort, ModelFacts } from './model-facts';

type AnyEffort = Exclude<NonNullable<ReasoningSetting['effort']>, 'none'>;

/**
 * Thinking tokens for a named effort, for models that know budgets only. Our own scale: `low` twice the least that Anthropic allows, each level doubled or quadrupled,
 * `high` and beyond near the sizes from which its documentation advises batch processing. https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
const budgets: Record<AnyEffort, number> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

const order: readonly AnyEffort[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The budget that stands for an effort. */
export function budgetOf(effort: AnyEffort): number {
  return budgets[effort];
}

/** The effort that stands for a budget, for models that know efforts only: the highest whose own budget it pays for. */
export function effortOf(budgetTokens: number): Effort {
  if (budgetTokens < budgets.medium) return 'low';
  return budgetTokens < budgets.high ? 'medium' : 'high';
}

/** The model's level for an effort: its own, else the next lower, else its lowest. Undefined: it has no levels. `warnings` hears of a change, but for `minimal`, which is another's word for the lowest. */
export function toEffort(effort: AnyEffort, facts: ModelFacts, warnings: string[]): Effort | undefined {
  const rank = order.indexOf(effort);
  const level = facts.efforts.findLast((candidate) => order.indexOf(candidate) <= rank) ?? facts.efforts[0];
  if (level !== undefined && level !== effort && effort !== 'minimal')
    warnings.push(`reasoning effort '${effort}' became '${level}': this model knows ${facts.efforts.join(', ')}`);
  return level;
}
