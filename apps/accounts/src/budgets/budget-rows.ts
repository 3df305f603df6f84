import { ControlError } from '@tollgate/contracts';
import { isUuid } from '@tollgate/database';
import { keyIdsOf } from '../keys/key-rows';
import { readPage, type AccountsQueries, type Page, type PageWish } from '../storage';
import type { StoredBudget } from './stored-budget';

type BudgetQueries = Pick<AccountsQueries, 'budget'>;

/** @throws ControlError `not_found`. */
export async function findBudget({ budget }: BudgetQueries, id: string): Promise<StoredBudget> {
  const found = isUuid(id) ? await budget.findUnique({ where: { id } }) : null;
  if (!found) throw new ControlError('not_found', `There is no budget with the id ${JSON.stringify(id)}.`);
  return found;
}

/** One page of budgets: all, or those of one account. @throws ControlError `invalid` for a wrong cursor. */
export function pageOfBudgets(
  { budget }: BudgetQueries,
  accountId: string | undefined,
  wish: PageWish,
): Promise<Page<StoredBudget>> {
  return readPage(wish, ({ id, ...page }) => budget.findMany({ where: { accountId, id }, ...page }));
}

/** The ids of the keys that a budget holds for. */
export function keysUnder(queries: AccountsQueries, { accountId, keyIds }: StoredBudget): Promise<string[]> {
  return keyIds.length > 0 ? Promise.resolve(keyIds) : keyIdsOf(queries, accountId);
}

/** A key that takes the place of another shares its budgets: what the first spent is spent. */
export async function addSuccessor({ budget }: BudgetQueries, keyId: string, successorId: string): Promise<void> {
  await budget.updateMany({ where: { keyIds: { has: keyId } }, data: { keyIds: { push: successorId } } });
}
