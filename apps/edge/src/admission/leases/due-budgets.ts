import { isMatch } from '@tollgate/contracts';
import type { Attribution, BudgetEach, KeyBudget } from '@tollgate/contracts';

/**
 * A budget that a request has to fit into. `whose`: the end user, or the tag, that has it alone; absent: it
 * is not divided.
 */
export type DueBudget = KeyBudget & { readonly whose?: string };

/**
 * Those of a key's budgets that a request has to fit into by what it says of itself: of one that each name
 * has alone, the part of each of its names.
 */
export function dueBudgets(budgets: readonly KeyBudget[], attribution: Attribution | undefined): readonly DueBudget[] {
  if (budgets.every(({ each }) => each === null)) return budgets;
  return budgets.flatMap((budget): DueBudget[] => {
    const { each } = budget;
    if (!each) return [budget];
    return namesOf(attribution, each).map((whose) => ({ ...budget, whose }));
  });
}

/** Each once. */
function namesOf({ endUser, tags = [] }: Attribution = {}, { by, names }: BudgetEach): string[] {
  const said = by === 'tag' ? [...new Set(tags)] : endUser === undefined ? [] : [endUser];
  return said.filter((name) => isMatch(names, name));
}
