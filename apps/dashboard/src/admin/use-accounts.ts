import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { fetchAccounts } from '../api/admin';
import { byCursor } from '../api/by-cursor';

/** Accounts, page by page; new requests show by themselves. */
export function useAccounts(status: string, query: string) {
  return useInfiniteQuery({
    queryKey: ['admin', 'accounts', status, query],
    queryFn: ({ pageParam }) => fetchAccounts({ status, query, ...(pageParam && { after: pageParam }) }),
    ...byCursor,
    refetchInterval: 5_000,
    placeholderData: keepPreviousData,
  });
}

/** Names for ids, of the first page of accounts. */
export const useAccountNames = (enabled = true) =>
  useQuery({ queryKey: ['admin', 'account-names'], queryFn: () => fetchAccounts({}), staleTime: 60_000, enabled });
