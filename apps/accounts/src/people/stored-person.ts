import type { Person } from '@tollgate/contracts/accounts';

/** A person as the database holds them. */
export interface StoredPerson {
  id: string;
  accountId: string;
  email: string;
  name: string;
  passwordHash: string | null;
  role: Person['role'];
  accountRole: Person['accountRole'];
  emailVerifiedAt: Date | null;
}

/** The person as people see them; `role` as it is written. */
export function toPerson({ id, accountId, name, email, emailVerifiedAt, role, accountRole }: StoredPerson): Person {
  return { id, accountId, name, email, emailVerified: emailVerifiedAt !== null, role, accountRole };
}
