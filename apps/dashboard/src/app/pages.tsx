import { Suspense } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { Failed, Skeleton } from '../design/states';
import { useMe } from '../session/session';
import { lazyPage } from './lazy-page';
import type { LazyPage } from './lazy-page';
import { NotFoundPage } from './not-found-page';
import { adminPages, openPages, userPages } from './routes';

/** Visitors do not need the frame of the dashboard. */
const Shell = lazyPage(() => import('./shell'), 'Shell');
const AdministratorsOnly = lazyPage(() => import('./shell'), 'AdministratorsOnly');

const routesOf = (pages: Record<string, LazyPage>) =>
  Object.entries(pages).map(([path, { Page }]) => <Route key={path} path={path} element={<Page />} />);

export function Pages() {
  return (
    <Suspense>
      <Routes>
        {routesOf(openPages)}
        <Route element={<SignedIn />}>
          {routesOf(userPages)}
          <Route element={<AdministratorsOnly.Page />}>{routesOf(adminPages)}</Route>
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Routes>
    </Suspense>
  );
}

/** Leads whoever is not signed in to the sign-in page, and back afterwards. */
function SignedIn() {
  const me = useMe();
  const { pathname, search } = useLocation();
  if (me.data?.user) return <Shell.Page />;
  if (me.data) return <Navigate to={`/sign-in?next=${encodeURIComponent(pathname + search)}`} replace />;
  if (me.error) return <Failed error={me.error} onRetry={() => void me.refetch()} />;
  return <Skeleton />;
}
