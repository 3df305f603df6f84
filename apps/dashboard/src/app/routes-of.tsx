import { Route } from 'react-router';
import type { LazyPage } from './lazy-page';

/** The routes of pages, by their paths. */
export const routesOf = (pages: Record<string, LazyPage>) =>
  Object.entries(pages).map(([path, { Page }]) => <Route key={path} path={path} element={<Page />} />);
