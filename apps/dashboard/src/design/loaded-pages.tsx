import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button';
import { Loaded } from './states';

/**
 * The rows of all pages that a query has fetched, or `empty` where there is none. `children` shows them,
 * above the button that fetches the next page.
 */
export function LoadedPages<Row>({
  query,
  lines,
  empty,
  next = 'Show more',
  children,
}: {
  query: Pick<
    UseInfiniteQueryResult<InfiniteData<{ data: Row[] }>>,
    'data' | 'error' | 'failureCount' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  lines?: number;
  empty: ReactNode;
  next?: string;
  children: (rows: Row[], more: ReactNode) => ReactNode;
}) {
  return (
    <Loaded query={query} lines={lines}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        // What is looked for may be on a later page.
        if (!rows.length && !query.hasNextPage) return empty;
        return children(
          rows,
          query.hasNextPage && (
            <Button tone="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {next}
            </Button>
          ),
        );
      }}
    </Loaded>
  );
}
