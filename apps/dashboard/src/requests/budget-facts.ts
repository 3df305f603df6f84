import type { ExplainedEvent } from '@tollgate/contracts';
import { formatExactMoney } from '../format/money';

type HeldBudget = ExplainedEvent['budgets'][number];

/**
 * What was set aside of a budget before a request began, what it spent, and what was given back, or spent on
 * top where the estimate was too low. Of one that was removed only the first is known.
 */
export function budgetFacts({ budgetId, name, heldNanoUsd, spentNanoUsd }: HeldBudget): [string, string][] {
  const reserved = `${formatExactMoney(heldNanoUsd)} reserved`;
  if (name === null || spentNanoUsd === null) return [[`Budget ${budgetId}`, `${reserved}; it was removed`]];
  const rest = BigInt(heldNanoUsd) - BigInt(spentNanoUsd);
  const released =
    rest >= 0n ? `${formatExactMoney(rest.toString())} released` : `${formatExactMoney((-rest).toString())} on top`;
  return [[`Budget ${name}`, `${reserved}, ${formatExactMoney(spentNanoUsd)} spent, ${released}`]];
}
