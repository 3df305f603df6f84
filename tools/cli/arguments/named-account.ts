import { administrationOperations } from '@tollgate/contracts/accounts';
import { Refusal } from '../failure';
import type { Gateway } from '../gateway';
import { pages } from '../pages';
import { accountReference } from './arguments';

/**
 * The id of the account that is named by its id or its e-mail address: usage is found by the id alone, and of
 * an address there is none, which looks like nothing used. Undefined: none was named.
 * @throws Refusal where no account has that address.
 */
export async function namedAccount(gateway: Gateway, named: string | undefined): Promise<string | undefined> {
  if (named === undefined) return undefined;
  const reference = accountReference(named);
  if ('accountId' in reference) return reference.accountId;
  const email = reference.email.toLowerCase();
  const read = (after: string | undefined) =>
    gateway.call(administrationOperations.searchAccounts, { query: email, limit: 100, after });
  // Others may have an address that this is a part of.
  for await (const { accounts } of pages(read)) {
    const found = accounts.find((account) => account.email.toLowerCase() === email);
    if (found) return found.id;
  }
  throw new Refusal(`There is no account ${named}: accounts list shows them.`);
}
