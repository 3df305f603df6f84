import type { Account, SignedIn } from '@tollgate/contracts/accounts';
import type { PlanTable } from './plan-table';

/** An account as the database holds it. */
export type StoredAccount = Omit<Account, 'createdAt'> & { createdAt: Date };

/** The account as people see it. */
export function toAccount({ id, name, email, status, plan, createdAt }: StoredAccount): Account {
  return { id, name, email, status, plan, createdAt: createdAt.getTime() };
}

/** The account as its own people see it. */
export function toOwnAccount(account: StoredAccount & { purpose: string }, plans: PlanTable): SignedIn['account'] {
  return { ...toAccount(account), purpose: account.purpose, ...plans.limits(account.plan) };
}
