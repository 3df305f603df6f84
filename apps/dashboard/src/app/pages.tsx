import { Suspense } from 'react';
import { Route, Routes } from 'react-router';
import { lazyPage } from './lazy-page';
import { openPages } from './open-routes';
import { routesOf } from './routes-of';

/** Visitors need neither the frame of the dashboard nor the list of its pages. */
const SignedInPages = lazyPage(() => import('./signed-in-pages'), 'SignedInPages');

export function Pages() {
  return (
    <Suspense>
      <Routes>
        {routesOf(openPages)}
        <Route path="*" element={<SignedInPages.Page />} />
      </Routes>
    </Suspense>
  );
}
