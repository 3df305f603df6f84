import type { ExplainedEvent } from '@tollgate/contracts';
import { formatExactAmount } from '../budgets/amount';

type HeldBudget = ExplainedEvent['budgets'][number];

/**
 * What was set aside of a budget before a request began, what it spent, and what was given back, or spent on
 * top where the estimate was too low. Of one that was removed only the first is known.
 */
export function budgetFacts({ budgetId, name, unit, heldNanoUsd, spentNanoUsd }: HeldBudget): [string, string][] {
  const exact = (amount: string | bigint) => formatExactAmount(unit, amount.toString());
  const reserved = `${exact(heldNanoUsd)} reserved`;
  if (name === null || spentNanoUsd === null) return [[`Budget ${budgetId}`, `${reserved}; it was removed`]];
  const rest = BigInt(heldNanoUsd) - BigInt(spentNanoUsd);
  const released = rest >= 0n ? `${exact(rest)} released` : `${exact(-rest)} on top`;
  return [[`Budget ${name}`, `${reserved}, ${exact(spentNanoUsd)} spent, ${released}`]];
}
