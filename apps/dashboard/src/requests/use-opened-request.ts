import { useQuery } from '@tanstack/react-query';
import type { NamedRequest } from '@tollgate/contracts';
import { fetchRequests } from '../api/reports';
import type { ReportScope } from '../api/reports';

const dayMs = 86_400_000;

/**
 * The request that an address names by the id of its event: out of what is shown already, else asked for. Its
 * `data` is null where there is none.
 */
export function useOpenedRequest(scope: ReportScope, id: string | null, shown: readonly NamedRequest[]) {
  const known = shown.find((request) => request.id === id);
  return useQuery({
    queryKey: ['request', scope, id],
    queryFn: async ({ signal }) => {
      if (id === null) return null;
      // The id tells when the request began, as a UUID of version 7 does; nothing lasts for a day.
      const beganAt = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
      const window = { startAt: beganAt - dayMs, endAt: beganAt + dayMs };
      const { data } = await fetchRequests(scope, { id, ...window, limit: 1 }, signal);
      return data[0] ?? null;
    },
    enabled: id !== null && !known,
    ...(known && { initialData: known }),
  });
}
