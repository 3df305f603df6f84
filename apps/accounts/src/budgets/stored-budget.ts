import { budgetWindow, type Budget, type KeyBudget } from '@tollgate/contracts';

/** A budget as the database holds it. */
export interface StoredBudget {
  id: string;
  accountId: string;
  name: string;
  keyIds: string[];
  models: string[];
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
  ...budget
}: StoredBudget): Budget {
  return {
    ...budget,
    limitNanoUsd: limitNanoUsd.toString(),
    window: budgetWindow.parse(window),
    createdAt: createdAt.getTime(),
  };
}

/** Those of an account's budgets that a key has to stay within, as edges need them. */
export function budgetsOf(keyId: string, budgets: readonly StoredBudget[]): KeyBudget[] {
  return budgets
    .filter(({ keyIds }) => keyIds.length === 0 || keyIds.includes(keyId))
    .map(({ id, name, limitNanoUsd, soft, fallbackModel, models }) => ({
      ...{ id, name, soft, fallbackModel, models },
      limitNanoUsd: limitNanoUsd.toString(),
    }));
}
