import { Navigate, Route, Routes, useLocation } from 'react-router';
import { Failed, Skeleton } from '../design/states';
import { useMe } from '../session/session';
import { NotFoundPage } from './not-found-page';
import { routesOf } from './routes-of';
import { AdministratorsOnly, Shell } from './shell';
import { adminPages, userPages } from './signed-in-routes';

/** Every page behind the sign-in, in the frame of the dashboard. */
export function SignedInPages() {
  return (
    <Routes>
      <Route element={<SignedIn />}>
        {routesOf(userPages)}
        <Route element={<AdministratorsOnly />}>{routesOf(adminPages)}</Route>
      </Route>
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  );
}

/** Leads whoever is not signed in to the sign-in page, and back afterwards. */
function SignedIn() {
  const me = useMe();
  const { pathname, search } = useLocation();
  if (me.data?.user) return <Shell />;
  if (me.data) return <Navigate to={`/sign-in?next=${encodeURIComponent(pathname + search)}`} replace />;
  if (me.error) return <Failed error={me.error} onRetry={() => void me.refetch()} />;
  return <Skeleton />;
}
