import { keyBudget, type Budget, type BudgetEach, type BudgetUnit, type KeyBudget } from '@tollgate/contracts/metering';

/** A budget as the database holds it. */
export interface StoredBudget {
  id: string;
  accountId: string;
  name: string;
  keyIds: string[];
  project: string | null;
  models: string[];
  eachBy: string | null;
  eachNames: string | null;
  unit: string;
  limitNanoUsd: bigint;
  window: string;
  timeZone: string;
  openingNanoUsd: bigint;
  soft: boolean;
  fallbackModel: string | null;
  createdAt: Date;
}

/** So many keys of a budget are told: of a project they only become more. */
const mostKeysTold = 20;

/** The budget as it is told. */
export function toBudget({
  keyIds,
  limitNanoUsd,
  createdAt,
  openingNanoUsd: _openingNanoUsd,
  eachBy,
  eachNames,
  unit,
  ...budget
}: StoredBudget): Budget {
  return {
    ...budget,
    keyIds: keyIds.slice(-mostKeysTold),
    each: toEach({ eachBy, eachNames }),
    unit: toUnit(unit),
    limitNanoUsd: limitNanoUsd.toString(),
    createdAt: createdAt.getTime(),
  };
}

/** Whether a window is of the last hours or days, such as `24h`, and does not begin anew. */
export function isRolling(window: string): boolean {
  return /^\d/.test(window);
}

/** Whether a window is shorter than a day. */
export function isOfSomeHours(window: string): boolean {
  return window === 'hour' || /^(?:1?\d|2[0-3])h$/.test(window);
}

/** The unit as the database holds it. */
export const toUnit = (unit: string): BudgetUnit => keyBudget.shape.unit.parse(unit);

function toEach({ eachBy, eachNames }: Pick<StoredBudget, 'eachBy' | 'eachNames'>): BudgetEach | null {
  return keyBudget.shape.each.parse(eachBy === null ? null : { by: eachBy, names: eachNames });
}

/** Those of an account's budgets that a key has to stay within, as edges need them. */
export function budgetsOf(keyId: string, budgets: readonly StoredBudget[]): KeyBudget[] {
  return budgets
    .filter(({ keyIds }) => keyIds.length === 0 || keyIds.includes(keyId))
    .map(({ id, name, unit, limitNanoUsd, soft, fallbackModel, models, ...divided }) => ({
      ...{ id, name, soft, fallbackModel, models, each: toEach(divided) },
      unit: toUnit(unit),
      limitNanoUsd: limitNanoUsd.toString(),
    }));
}
