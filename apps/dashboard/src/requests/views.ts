import { responseCacheProvider } from '@tollgate/contracts/metering';
import { filterNames } from './request-filters';

/** A way to look at the log of requests, by the parameters of its address. */
export interface View {
  name: string;
  search: string;
}

/** What makes a view: filters and range, not the request that is open, nor how far somebody scrolled. */
const rangeNames = ['range', 'from', 'to'];
const kept: readonly string[] = [...filterNames, 'show', ...rangeNames];

/**
 * The parameters of an address that make its view, in an order of their own, so that views can be compared.
 */
export function searchOfView(search: URLSearchParams): string {
  const parameters = kept.flatMap((name) => {
    const value = search.get(name);
    return value ? [[name, value]] : [];
  });
  return new URLSearchParams(parameters).toString();
}

export const givenViews: readonly View[] = [
  { name: 'All', search: '' },
  { name: 'Failed', search: 'state=failed' },
  { name: 'Slow', search: 'atLeastMs=10000' },
  { name: 'From the cache', search: new URLSearchParams({ provider: responseCacheProvider }).toString() },
];

/** A view that comes with the log, in the range that is looked at. */
export function inRangeOf(search: URLSearchParams, view: View): View {
  const range = rangeNames.flatMap((name) => [...search].filter(([parameter]) => parameter === name));
  return { ...view, search: searchOfView(new URLSearchParams([...new URLSearchParams(view.search), ...range])) };
}

/** The views with one more; one that has the name already is replaced. */
export const withView = (views: readonly View[], view: View): View[] => [
  ...views.filter(({ name }) => name !== view.name),
  view,
];
