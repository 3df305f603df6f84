import { useQuery } from '@tanstack/react-query';
import type { NamedRequest } from '@tollgate/contracts/metering';
import { fetchRequests } from '../api/reports';
import type { ReportScope } from '../api/reports';
import { windowOfId } from './request-filters';

/**
 * The request that an address names by the id of its event: out of what is shown already, else asked for. Its
 * `data` is null where there is none.
 */
export function useOpenedRequest(scope: ReportScope, id: string | null, shown: readonly NamedRequest[]) {
  const known = shown.find((request) => request.id === id);
  return useQuery({
    queryKey: ['request', scope, id],
    queryFn: async ({ signal }) => {
      const window = windowOfId(id ?? '');
      if (id === null || window === null) return null;
      const { data } = await fetchRequests(scope, { id, ...window, limit: 1 }, signal);
      return data[0] ?? null;
    },
    enabled: id !== null && !known,
    ...(known && { initialData: known }),
  });
}
