import type { UsageEvent } from '@tollgate/contracts';
import type { ExplainedEvent } from '@tollgate/contracts/metering';
import { formatExactAmount } from '../budgets/standing';
import { formatCount } from '../format/number';

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

/**
 * What was set aside of the key's quota before a request began, what it used, and what was given back, or
 * taken on top where the estimate was too low. Without a lease and an amount nothing was set aside; with a
 * lease alone it is not known how much.
 */
export function quotaFacts({
  lease,
  reserved,
  usage,
}: Pick<UsageEvent, 'lease' | 'reserved' | 'usage'>): [string, string][] {
  if (reserved === undefined) return lease === null ? [] : [['Reserved', 'an amount that was not kept']];
  const used = usage.input + usage.output;
  const tokens = (count: number): string => `${formatCount(count)} ${count === 1 ? 'token' : 'tokens'}`;
  return [
    ['Reserved', `${tokens(reserved)}${lease === null ? ', while the ledger was away' : ''}`],
    ['Used', tokens(used)],
    reserved >= used ? ['Released', tokens(reserved - used)] : ['Taken on top', tokens(used - reserved)],
  ];
}
