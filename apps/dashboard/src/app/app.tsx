import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { BrowserRouter } from 'react-router';
import { onLostSession } from '../api/client';
import { ErrorBoundary } from './error-boundary';
import { queryClient } from './query-client';
import { Pages } from './pages';
import { ScrollToTop } from './scroll-to-top';

/**
 * A session that ended elsewhere (revoked, expired, password changed) brings the sign-in page, wherever it is
 * noticed.
 */
function useLostSession(): void {
  useEffect(() => onLostSession(() => void queryClient.invalidateQueries({ queryKey: ['me'] })), []);
}

export function App() {
  useLostSession();
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter>
          <ScrollToTop />
          <Pages />
        </BrowserRouter>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
