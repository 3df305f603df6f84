import type { Person, SignedIn } from '@tollgate/contracts';
import type { PlanTable } from '../plans/plan-table';
import { toAccount, type StoredAccount } from '../accounts/to-account';

/** A person as the database holds them. */
export interface StoredPerson {
  id: string;
  accountId: string;
  email: string;
  name: string;
  passwordHash: string | null;
  role: Person['role'];
  emailVerifiedAt: Date | null;
}

/** The person as people see them; `role` as it is written. */
export function toPerson({ id, accountId, name, email, emailVerifiedAt, role }: StoredPerson): Person {
  return { id, accountId, name, email, emailVerified: emailVerifiedAt !== null, role };
}

/** The account as its own people see it. */
export function toOwnAccount(account: StoredAccount & { purpose: string }, plans: PlanTable): SignedIn['account'] {
  return { ...toAccount(account), purpose: account.purpose, ...plans.limits(account.plan) };
}
