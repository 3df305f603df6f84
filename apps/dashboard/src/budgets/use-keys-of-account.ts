import { useQuery } from '@tanstack/react-query';
import { fetchAccounts, fetchAdminKeys } from '../api/admin';
import type { AdminKey } from '../api/admin';

/** The newest keys that work of an account, by its id or address; none while it is not known. */
export function useKeysOfAccount(account: string, enabled: boolean): AdminKey[] {
  const { data } = useQuery({
    queryKey: ['admin', 'keys-of', account],
    queryFn: () => keysOf(account),
    enabled: enabled && account !== '',
    staleTime: 10_000,
  });
  return data ?? [];
}

async function keysOf(account: string): Promise<AdminKey[]> {
  const accountId = account.includes('@') ? await idOf(account.toLowerCase()) : account;
  if (accountId === null) return [];
  const { data } = await fetchAdminKeys({ accountId });
  return data.filter(({ keyStatus }) => keyStatus === 'active');
}

async function idOf(email: string): Promise<string | null> {
  const { data } = await fetchAccounts({ query: email });
  return data.find((one) => one.email === email)?.id ?? null;
}
