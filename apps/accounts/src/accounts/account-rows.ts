import { ControlError, uuidv7 } from '@tollgate/contracts';
import type { Account } from '@tollgate/contracts/accounts';
import { isUuid } from '@tollgate/database';
import { tellAlert } from '../alerts/tell-alert';
import type { Change } from '../keys/changes';
import { anAdministrator } from '../people/an-administrator';
import { readPage, type AccountsQueries, type Page, type PageWish } from '../storage';
import { operatorEmail } from './operator-email';
import type { StoredAccount } from './stored-account';

type AccountQueries = Pick<AccountsQueries, 'account'>;

/** What administrators see of an account besides it: how many keys work, and who signs in for it. */
export type SearchedAccount = StoredAccount & {
  purpose: string;
  _count: { keys: number; people: number };
  /** One who administers the gateway, if there is any; no others. */
  people: { role: 'user' | 'administrator' }[];
};

/** Addresses are compared without regard to letter case. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * Whether a text is an address, and not what something else is called that acts or owns: the operator's
 * account, commands (`cli:ada`) and tokens of the admin API.
 */
export function isAddress(text: string): boolean {
  return /^[^\s:@]+@[^\s:@]+$/.test(text);
}

/** Finds an account by its id or its email (in any letter case). @throws ControlError `not_found`. */
export async function findAccount({ account }: AccountQueries, idOrEmail: string): Promise<StoredAccount> {
  const where = isUuid(idOrEmail) ? { id: idOrEmail } : { email: normalEmail(idOrEmail) };
  const found = await account.findUnique({ where });
  if (!found) throw new ControlError('not_found', `There is no account ${JSON.stringify(idOrEmail)}.`);
  return found;
}

/** Null: no account has this address. */
export function accountOfEmail({ account }: AccountQueries, email: string): Promise<StoredAccount | null> {
  return account.findUnique({ where: { email } });
}

/** One page of accounts: all, or those of one status. @throws ControlError `invalid` for a wrong cursor. */
export function pageOfAccounts(
  { account }: AccountQueries,
  status: Account['status'] | undefined,
  wish: PageWish,
): Promise<Page<StoredAccount>> {
  return readPage(wish, ({ id, ...page }) => account.findMany({ where: { status, id }, ...page }));
}

/** What accounts are looked for by; see `administrationOperations.searchAccounts`. */
interface AccountSearch {
  status?: Account['status'] | undefined;
  query?: string | undefined;
  signsIn?: true | undefined;
}

/** As pageOfAccounts; `query` is a part of a name or an address, in any letter case, or an id. */
export function searchAccounts(
  { account }: AccountQueries,
  { status, query, signsIn }: AccountSearch,
  wish: PageWish,
): Promise<Page<SearchedAccount>> {
  const include = {
    _count: { select: { keys: { where: { status: 'active' } }, people: true } },
    people: anAdministrator,
  } as const;
  const sought = {
    ...(query && { OR: [{ name: part(query) }, { email: part(query) }, ...(isUuid(query) ? [{ id: query }] : [])] }),
    ...(signsIn && { people: { some: {} } }),
  };
  return readPage(wish, ({ id, ...page }) => account.findMany({ where: { status, id, ...sought }, ...page, include }));
}

/** Where a name or an address has this part, in any letter case. */
export function part(text: string) {
  // Postgres takes these as wildcards.
  return { contains: text.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' as const };
}

/**
 * Within a change: an account on the beta plan that waits for approval, and the line of the audit log.
 * `actor` absent: who has the address. `link`: where administrators decide on it.
 * @throws ControlError `conflict` when the address has an account already.
 */
export async function makePendingAccount(
  change: Change,
  asked: { name: string; email: string; purpose: string; actor?: string | undefined },
  link: string,
): Promise<StoredAccount> {
  const { name, email, purpose, actor = email } = asked;
  const existing = await accountOfEmail(change.transaction, email);
  if (existing) throw new ControlError('conflict', `${email} has an account already; it is ${existing.status}.`);
  const account = await change.transaction.account.create({
    data: { id: uuidv7(), name, email, purpose, status: 'pending', plan: 'beta' },
  });
  await change.audit({ actor, action: 'access-requested', accountId: account.id, detail: { name, email } });
  await tellAlert(change.transaction, {
    kind: 'access.requested',
    text: `${name} (${email}) asks for access.`,
    advice: 'Approve or decline it.',
    link,
    data: { account_id: account.id, name, email, purpose },
  });
  return account;
}

/** The active account of an address, which is made if need be; returns its id. */
export async function makeActiveAccount({ account }: AccountQueries, email: string, name: string): Promise<string> {
  const { id } = await account.upsert({
    where: { email },
    create: { id: uuidv7(), name, email, purpose: '', status: 'active', plan: 'beta' },
    update: { status: 'active' },
  });
  return id;
}

/** The operator's own account. Changes of accounts run one after another, so that no two can make it. */
export async function operatorAccount(change: Change, actor: string): Promise<StoredAccount> {
  const existing = await accountOfEmail(change.transaction, operatorEmail);
  if (existing) return existing;
  const account = await change.transaction.account.create({
    data: { id: uuidv7(), name: 'Operator', email: operatorEmail, purpose: '', status: 'active', plan: 'beta' },
  });
  await change.audit({ actor, action: 'operator-account-made', accountId: account.id, detail: {} });
  return account;
}

/** Writes status and plan (undefined: as it is). */
export function updateAccount(
  { account }: AccountQueries,
  id: string,
  data: { status: Account['status']; plan: string | undefined },
): Promise<StoredAccount> {
  return account.update({ where: { id }, data });
}
