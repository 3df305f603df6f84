import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { SeriesGroup } from '@tollgate/contracts';
import { fetchSeries } from '../api/reports';
import type { ReportScope, SeriesQuery } from '../api/reports';
import { windowOf } from './range';
import type { Range } from './range';

export const pollMs = 5_000;

export interface UsageFilter {
  scope: ReportScope;
  accountId?: string;
}

export const seriesQueryOf = (range: Range, groupBy: SeriesGroup, accountId?: string): SeriesQuery => ({
  ...windowOf(range, Date.now()),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  groupBy,
  accountId,
  maxLines: groupBy === 'none' ? 1 : 7,
});

/**
 * A series that follows the clock while somebody looks at it. The former one stays in sight until the next is
 * there.
 */
export function useSeries(range: Range, groupBy: SeriesGroup, { scope, accountId }: UsageFilter) {
  return useQuery({
    queryKey: ['series', scope, accountId, range.name, range.name === 'custom' && [range.from, range.to], groupBy],
    queryFn: ({ signal }) => fetchSeries(scope, seriesQueryOf(range, groupBy, accountId), signal),
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
}
