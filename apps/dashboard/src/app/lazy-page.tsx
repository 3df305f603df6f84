import { lazy } from 'react';
import type { ComponentType, LazyExoticComponent } from 'react';
import { Route } from 'react-router';

/** The routes of pages, by their paths. */
export const routesOf = (pages: Record<string, LazyPage>) =>
  Object.entries(pages).map(([path, { Page }]) => <Route key={path} path={path} element={<Page />} />);

export interface LazyPage {
  Page: LazyExoticComponent<ComponentType>;
  /** Fetches the code ahead of the visit. */
  preload: () => void;
}

/** A page whose code is fetched when it is needed: `name` is its export. */
export function lazyPage<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name): LazyPage {
  return {
    Page: lazy(async () => ({ default: (await load())[name] })),
    preload: () => void load().catch(() => undefined),
  };
}
