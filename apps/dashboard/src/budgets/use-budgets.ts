import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { byCursor } from '../api/by-cursor';
import { fetchBudget, fetchBudgets, fetchNearBudgets } from '../api/budgets';
import type { ReportScope } from '../api/reports';
import { pollMs } from '../usage/use-series';

/** Budgets, page by page, with how they stand. `accountId` null: of one's own account, or of all. */
export const useBudgets = (scope: ReportScope, accountId: string | null = null, enabled = true) =>
  useInfiniteQuery({
    queryKey: ['budgets', scope, accountId ?? ''],
    queryFn: ({ pageParam }) =>
      fetchBudgets(scope, { ...(accountId !== null && { accountId }), ...(pageParam && { after: pageParam }) }),
    ...byCursor,
    refetchInterval: 2 * pollMs,
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
