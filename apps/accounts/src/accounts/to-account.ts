import type { Account } from '@tollgate/contracts';

/** An account as the database holds it. */
export type StoredAccount = Omit<Account, 'createdAt'> & { createdAt: Date };

/** The account as people see it. */
export function toAccount({ id, name, email, status, plan, createdAt }: StoredAccount): Account {
  return { id, name, email, status, plan, createdAt: createdAt.getTime() };
}
