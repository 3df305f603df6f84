import { budgetWindow, keyBudget, type Budget, type BudgetEach, type KeyBudget } from '@tollgate/contracts';

/** A budget as the database holds it. */
export interface StoredBudget {
  id: string;
  accountId: string;
  name: string;
  keyIds: string[];
  models: string[];
  eachBy: string | null;
  eachNames: string | null;
  limitNanoUsd: bigint;
  window: string;
  timeZone: string;
  openingNanoUsd: bigint;
  soft: boolean;
  fallbackModel: string | null;
  createdAt: Date;
}

/** The budget as it is told. */
export function toBudget({
  limitNanoUsd,
  window,
  createdAt,
  openingNanoUsd: _openingNanoUsd,
  eachBy,
  eachNames,
  ...budget
}: StoredBudget): Budget {
  return {
    ...budget,
    each: toEach({ eachBy, eachNames }),
    limitNanoUsd: limitNanoUsd.toString(),
    window: budgetWindow.parse(window),
    createdAt: createdAt.getTime(),
  };
}

function toEach({ eachBy, eachNames }: Pick<StoredBudget, 'eachBy' | 'eachNames'>): BudgetEach | null {
  return keyBudget.shape.each.parse(eachBy === null ? null : { by: eachBy, names: eachNames });
}

/** Those of an account's budgets that a key has to stay within, as edges need them. */
export function budgetsOf(keyId: string, budgets: readonly StoredBudget[]): KeyBudget[] {
  return budgets
    .filter(({ keyIds }) => keyIds.length === 0 || keyIds.includes(keyId))
    .map(({ id, name, limitNanoUsd, soft, fallbackModel, models, ...divided }) => ({
      ...{ id, name, soft, fallbackModel, models, each: toEach(divided) },
      limitNanoUsd: limitNanoUsd.toString(),
    }));
}
