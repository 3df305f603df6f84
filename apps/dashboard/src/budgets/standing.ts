import type { BudgetState, BudgetUnit } from '@tollgate/contracts/metering';
import type { ListedBudget } from '../api/budgets';
import { formatExactMoney, formatMoney } from '../format/money';

/** In the unit of the budget; `share`: how much of the limit is spent or reserved, where 1 is all of it. */
export interface Standing {
  limit: bigint;
  left: bigint;
  share: number;
}

/** From this share on people are told that a budget ends. */
const nearShare = 0.8;
const millionths = 1_000_000n;

export function standingOf({ limitNanoUsd, spentNanoUsd, heldNanoUsd }: BudgetState): Standing {
  const limit = BigInt(limitNanoUsd);
  const used = BigInt(spentNanoUsd) + BigInt(heldNanoUsd);
  const share = limit === 0n ? 1 : Number((used * millionths) / limit) / Number(millionths);
  return { limit, left: limit - used, share };
}

/** How a budget stands; of one that each name has alone, its nearest name. Null: nobody knows. */
export const stateOf = ({ state, nearest }: Pick<ListedBudget, 'state' | 'nearest'>): BudgetState | null =>
  state ?? nearest?.state ?? null;

const shareOf = (budget: Pick<ListedBudget, 'state' | 'nearest'>): number => {
  const state = stateOf(budget);
  return state ? standingOf(state).share : -1;
};

/** Those that are the nearest to their limit first. */
export const byNearness = <Budget extends Pick<ListedBudget, 'state' | 'nearest'>>(budgets: readonly Budget[]) =>
  budgets.toSorted((one, other) => shareOf(other) - shareOf(one));

export const isNear = (budget: Pick<ListedBudget, 'state' | 'nearest'>): boolean => shareOf(budget) >= nearShare;

/** "$2.10 of $5.00 left". */
export function leftWords(unit: BudgetUnit, { left, limit }: Standing): string {
  const most = formatAmount(unit, limit.toString());
  if (left < 0n) return `${formatAmount(unit, (-left).toString())} over the limit of ${most}`;
  return left === 0n ? `Nothing of ${most} left` : `${formatAmount(unit, left.toString())} of ${most} left`;
}

/** "$2.80 spent, $0.10 reserved". */
export function usedWords(unit: BudgetUnit, { spentNanoUsd, heldNanoUsd }: BudgetState): string {
  const spent = `${formatAmount(unit, spentNanoUsd)} spent`;
  return heldNanoUsd === '0' ? spent : `${spent}, ${formatAmount(unit, heldNanoUsd)} reserved`;
}

const whole = new Intl.NumberFormat();

/** An amount of a budget in its unit, nano-dollars or tokens, as it is read at a glance. */
export const formatAmount = (unit: BudgetUnit, amount: string): string =>
  unit === 'usd' ? formatMoney(amount) : formatTokens(amount);

/** The same with every digit there is. */
export const formatExactAmount = (unit: BudgetUnit, amount: string): string =>
  unit === 'usd' ? formatExactMoney(amount) : formatTokens(amount);

const formatTokens = (amount: string): string =>
  `${whole.format(BigInt(amount))} ${amount === '1' ? 'token' : 'tokens'}`;
