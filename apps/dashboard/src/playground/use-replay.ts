import { useQuery } from '@tanstack/react-query';
import { fetchContent } from '../api/content-log';
import { fromLoggedRequest } from './from-logged-request';
import type { Replay } from './from-logged-request';

/**
 * The logged request of the event that an address names, as the playground asks it. Its `data` is null where
 * nothing of it is kept that could be asked again.
 */
export function useReplay(eventId: string | null) {
  return useQuery({
    queryKey: ['replay', eventId],
    queryFn: async (): Promise<(Replay & { model: string }) | null> => {
      const logged = eventId === null ? null : await fetchContent(eventId);
      if (!logged || logged.requestTruncated) return null;
      const replay = fromLoggedRequest(logged.request, logged.model);
      return replay && { ...replay, model: logged.model };
    },
    enabled: eventId !== null,
    staleTime: Infinity,
  });
}
