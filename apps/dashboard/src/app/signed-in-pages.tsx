import { lazy, Suspense, useState } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { ButtonLink } from '../design/button';
import { usePageTitle } from '../design/page';
import { Empty, Failed, Skeleton } from '../design/states';
import { useMe } from '../session/session';
import { routesOf } from './lazy-page';
import { AdministratorsOnly, Shell } from './shell';
import { adminPages, userPages } from './signed-in-routes';

const SetUpFactorPage = lazy(async () => ({
  default: (await import('../settings/set-up-factor-page')).SetUpFactorPage,
}));

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

/**
 * Leads whoever is not signed in to the sign-in page, and back afterwards. Who has to set up a second factor
 * does that first, until they say that they have kept what was told.
 */
function SignedIn() {
  const me = useMe();
  const { pathname, search } = useLocation();
  const isNeeded = me.data?.needsSecondFactor === true;
  const [isSettingUp, setIsSettingUp] = useState(isNeeded);
  if (isNeeded && !isSettingUp) setIsSettingUp(true);
  if (me.data?.user && isSettingUp)
    return (
      <Suspense fallback={<Skeleton />}>
        <SetUpFactorPage onDone={() => setIsSettingUp(false)} />
      </Suspense>
    );
  if (me.data?.user) return <Shell />;
  if (me.data) return <Navigate to={`/sign-in?next=${encodeURIComponent(pathname + search)}`} replace />;
  if (me.error) return <Failed error={me.error} onRetry={() => void me.refetch()} />;
  return <Skeleton />;
}

function NotFoundPage() {
  usePageTitle('Not found');
  return (
    <main id="main" tabIndex={-1}>
      <h1 className="visually-hidden">Not found</h1>
      <Empty icon="search" title="There is no such page" action={<ButtonLink to="/">Go to the start</ButtonLink>}>
        The address may be mistyped, or the page has moved.
      </Empty>
    </main>
  );
}
