import type { Account } from '@tollgate/contracts';
import { facts, table } from './table';
import { instant } from './values';

/** Accounts as a table, one a line. */
export function accountTable(accounts: readonly Account[]): string {
  return table(
    ['id', 'name', 'email', 'status', 'plan', 'created'],
    accounts.map(({ id, name, email, status, plan, createdAt }) => [id, name, email, status, plan, instant(createdAt)]),
  );
}

/** Everything about one account, a fact a line. */
export function accountFacts(account: Account): string {
  return facts([
    ['id', account.id],
    ['name', account.name],
    ['email', account.email],
    ['status', account.status],
    ['plan', account.plan],
  ]);
}
