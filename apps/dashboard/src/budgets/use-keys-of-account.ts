import { useQuery } from '@tanstack/react-query';
import { fetchAccounts, fetchAdminKeys } from '../api/admin';
import type { AdminKey } from '../api/admin';

/** `isMore`: the account has older ones. */
interface Found {
  keys: AdminKey[];
  isMore: boolean;
}

/** So many of an account's newest keys are looked through. */
const mostKeys = 500;

/** The newest keys that work of an account, by its id or address, and what stands in the place of a choice. */
export function useKeysOfAccount(account: string, enabled: boolean): { keys: AdminKey[]; words: string } {
  const { data, isError } = useQuery({
    queryKey: ['admin', 'keys-of', account],
    queryFn: () => keysOf(account),
    enabled: enabled && account !== '',
    staleTime: 10_000,
  });
  return { keys: data?.keys ?? [], words: keyWords(account, data, isError) };
}

/** `account` empty: nobody said whose. `found` undefined: nobody knows yet; null: there is no such account. */
export function keyWords(
  account: string,
  found: { keys: readonly unknown[]; isMore: boolean } | null | undefined,
  isError: boolean,
): string {
  if (account === '') return 'Say whose it is first';
  if (found === undefined) return isError ? 'Its keys could not be read' : 'Loading …';
  if (found === null) return 'There is no such account';
  if (found.keys.length > 0) return 'Choose one';
  return found.isMore ? 'None of its newest keys works' : 'None of its keys works';
}

async function keysOf(account: string): Promise<Found | null> {
  const accountId = account.includes('@') ? await idOf(account.toLowerCase()) : account;
  if (accountId === null) return null;
  const { data, next } = await fetchAdminKeys({ accountId, limit: mostKeys });
  return { keys: data.filter(({ keyStatus }) => keyStatus === 'active'), isMore: next !== null };
}

async function idOf(email: string): Promise<string | null> {
  const { data } = await fetchAccounts({ query: email });
  return data.find((one) => one.email === email)?.id ?? null;
}
