/**
 * How a query goes through a list page by page: `next` of a page is the cursor of the one after it; null or
 * absent: there is none.
 */
export const byCursor = {
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }: { next?: string | number | null | undefined }) =>
    next == null ? undefined : String(next),
};
