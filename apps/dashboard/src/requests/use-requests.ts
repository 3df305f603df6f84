import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { fetchRequests } from '../api/reports';
import type { ReportScope } from '../api/reports';
import type { Range } from '../usage/range';
import { pollMs } from '../usage/use-series';
import { requestsQueryOf } from './request-filters';
import type { Filters } from './request-filters';

const pageSize = 50;

/**
 * The newest requests, page by page. While only the first page is shown it follows the clock, if it is
 * `live`.
 */
export function useRequests(scope: ReportScope, range: Range, filters: Filters, live: boolean) {
  return useInfiniteQuery({
    queryKey: ['requests', scope, range.name, range.name === 'custom' && [range.from, range.to], filters],
    queryFn: ({ pageParam, signal }) =>
      fetchRequests(
        scope,
        { ...requestsQueryOf(range, filters, pageParam?.now ?? Date.now()), limit: pageSize, after: pageParam?.after },
        signal,
      ),
    initialPageParam: null as { now: number; after: string } | null,
    getNextPageParam: ({ next }, _pages, before) =>
      next === null ? undefined : { now: before?.now ?? Date.now(), after: next },
    refetchInterval: ({ state }) => (!live || (state.data?.pages.length ?? 1) > 1 ? false : pollMs),
    refetchOnWindowFocus: live,
    placeholderData: keepPreviousData,
  });
}
