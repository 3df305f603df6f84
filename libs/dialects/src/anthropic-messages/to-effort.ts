import type { ReasoningSetting } from '../canonical/generation-request';
import type { Effort, ModelFacts } from './model-facts';

type AnyEffort = Exclude<NonNullable<ReasoningSetting['effort']>, 'none'>;

const order: readonly AnyEffort[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * The model's level for an effort: its own, else the next lower, else its lowest. Undefined: it has no
 * levels. `warnings` hears of a change, but for `minimal`, which is another's word for the lowest.
 */
export function toEffort(effort: AnyEffort, facts: ModelFacts, warnings: string[]): Effort | undefined {
  const rank = order.indexOf(effort);
  const level = facts.efforts.findLast((candidate) => order.indexOf(candidate) <= rank) ?? facts.efforts[0];
  if (level !== undefined && level !== effort && effort !== 'minimal')
    warnings.push(`reasoning effort '${effort}' became '${level}': this model knows ${facts.efforts.join(', ')}`);
  return level;
}
