import type { RequestsQuery } from '../api/reports';
import { windowOf } from '../usage/range';
import type { Range } from '../usage/range';

const filterNames = ['model', 'provider', 'keyId', 'state', 'status', 'requestId', 'accountId'] as const;
export type FilterName = (typeof filterNames)[number];
export type Filters = Partial<Record<FilterName, string>>;

export function filtersFrom(search: URLSearchParams): Filters {
  return Object.fromEntries(filterNames.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])));
}

/**
 * A request id is looked for in all time, everything else within the range. A status that is no number is
 * left out.
 */
export function requestsQueryOf(range: Range, filters: Filters, now: number): RequestsQuery {
  const { startAt, endAt } = windowOf(range, now);
  const { status, ...rest } = filters;
  const window = filters.requestId ? { startAt: 0, endAt: now } : { startAt, endAt };
  return { ...rest, ...(status && /^\d{3}$/.test(status) && { status }), ...window };
}
