import type { Person } from '@tollgate/contracts';

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
