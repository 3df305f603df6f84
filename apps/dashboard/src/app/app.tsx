import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { BrowserRouter, Route, Routes, useLocation } from 'react-router';
import { ApiError } from '../api/api-error';
import { onLostSession } from '../api/client';
import { Failed } from '../design/states';
import { lazyPage, routesOf } from './lazy-page';
import { openPages } from './open-routes';

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

/** Visitors need neither the frame of the dashboard nor the list of its pages. */
const SignedInPages = lazyPage(() => import('./signed-in-pages'), 'SignedInPages');

/**
 * Shows what broke instead of an empty page. After an update old files are gone: loading again brings the new
 * ones.
 */
class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <Failed error={error} onRetry={() => location.reload()} />;
  }
}

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

/**
 * A new page begins at its top, with the focus at its content; a change of filters in the address moves
 * nothing.
 */
function ScrollToTop() {
  const { pathname } = useLocation();
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [pathname]);
  return null;
}

function Pages() {
  return (
    <Suspense>
      <Routes>
        {routesOf(openPages)}
        <Route path="*" element={<SignedInPages.Page />} />
      </Routes>
    </Suspense>
  );
}
