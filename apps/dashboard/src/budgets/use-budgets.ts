import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { byCursor } from '../api/by-cursor';
import { fetchBudget, fetchBudgets, fetchNearBudgets } from '../api/budgets';
import type { ReportScope } from '../api/reports';
import { pollMs } from '../usage/use-series';

interface Asked {
  /** Null: of one's own account, or of all. */
  accountId?: string | null;
  enabled?: boolean;
  /** Milliseconds. */
  refetchInterval?: number;
}

/** Budgets, page by page, with how they stand. */
export const useBudgets = (
  scope: ReportScope,
  { accountId = null, enabled = true, refetchInterval = 2 * pollMs }: Asked = {},
) =>
  useInfiniteQuery({
    queryKey: ['budgets', scope, accountId ?? ''],
    queryFn: ({ pageParam }) =>
      fetchBudgets(scope, { ...(accountId !== null && { accountId }), ...(pageParam && { after: pageParam }) }),
    ...byCursor,
    refetchInterval,
    placeholderData: keepPreviousData,
    enabled,
  });

/** Those of everybody that are near their end. */
export const useNearBudgets = (refetchInterval: number, enabled = true) =>
  useQuery({ queryKey: ['budgets', 'near'], queryFn: fetchNearBudgets, refetchInterval, enabled });

/** One, with all there is to know of it. */
export const useBudget = (scope: ReportScope, id: string) =>
  useQuery({
    queryKey: ['budgets', scope, 'one', id],
    queryFn: () => fetchBudget(scope, id),
    refetchInterval: 2 * pollMs,
  });
