import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error';

/** What a refusal says does not change by asking again; a gateway that is away may come back. */
const isWorthAnotherTry = (error: Error) => !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && isWorthAnotherTry(error),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
  },
});
