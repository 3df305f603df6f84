import { ControlError } from '@tollgate/contracts';
import type { AccountsQueries } from '../storage/storage';

/** Who may administer now: the role does nothing while the account is not active. */
const acting = { role: 'administrator', account: { status: 'active' } } as const;

/**
 * Does a part of a change; if somebody could administer before it, somebody still must.
 * @throws ControlError `conflict` otherwise; what `work` throws.
 */
export async function keepAnAdministrator<Result>(
  { person }: Pick<AccountsQueries, 'person'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = await person.count({ where: acting });
  const result = await work();
  if (before === 0 || (await person.count({ where: acting })) > 0) return result;
  throw new ControlError('conflict', 'This is the last administrator: make another one first.');
}
