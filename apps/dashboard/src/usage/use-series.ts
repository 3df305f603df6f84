import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { SeriesGroup } from '@tollgate/contracts/metering';
import { fetchSeries } from '../api/reports';
import type { ReportScope, SeriesQuery } from '../api/reports';
import { windowOf } from './range';
import type { Range } from './range';

export const pollMs = 5_000;

/** Whose usage, and which part of it; what is absent restricts nothing. */
export interface UsageFilter {
  scope: ReportScope;
  accountId?: string;
  keyId?: string;
  model?: string;
  provider?: string;
}

export const seriesQueryOf = (range: Range, groupBy: SeriesGroup, { scope: _, ...part }: UsageFilter): SeriesQuery => ({
  ...windowOf(range, Date.now()),
  ...part,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  groupBy,
  maxLines: groupBy === 'none' ? 1 : 7,
});

/**
 * A series that follows the clock while somebody looks at it. The former one stays in sight until the next is
 * there.
 */
export function useSeries(range: Range, groupBy: SeriesGroup, filter: UsageFilter, enabled = true) {
  return useQuery({
    queryKey: ['series', filter, range.name, range.name === 'custom' && [range.from, range.to], groupBy],
    queryFn: ({ signal }) => fetchSeries(filter.scope, seriesQueryOf(range, groupBy, filter), signal),
    enabled,
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
}
