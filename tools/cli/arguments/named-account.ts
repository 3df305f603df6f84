import { accountsOperations } from '@tollgate/contracts/accounts';
import { Refusal } from '../failure';
import type { Gateway } from '../gateway';
import { accountReference } from './arguments';

const accountsAPage = 500;

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
  let after: string | undefined;
  do {
    const page = await gateway.call(accountsOperations.listAccounts, { limit: accountsAPage, after });
    const found = page.accounts.find((account) => account.email.toLowerCase() === email);
    if (found) return found.id;
    after = page.next ?? undefined;
  } while (after !== undefined);
  throw new Refusal(`There is no account ${named}: accounts list shows them.`);
}
