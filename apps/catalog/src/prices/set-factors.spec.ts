import { byInstant, type PriceFactors } from '@tollgate/contracts';
import type { Deployment } from '@tollgate/contracts/catalog';
import { withSetFactors } from './set-factors';

const now = Date.UTC(2026, 10, 27);
const day = 24 * 3_600_000;
const place: Deployment = { id: 'acme:m', provider: 'acme', upstreamModel: 'm' };
/** Told now, of a deployment with these discounts and markups, each so many milliseconds from now. */
const told = (...set: [number, PriceFactors | null][]) =>
  withSetFactors(place, new Map([[place.id, set.map(([at, factors]) => ({ factors, from: now + at }))]]), now);

it('tells what may be charged of a request that runs or is to come, and nothing older', () => {
  const set = told(
    [-9 * day, { markup: '3' }],
    [-2 * day, { markup: '0.2' }],
    [-1_000, { markup: '0.1' }],
    [day, null],
  );
  expect(set).toMatchObject({ discount: byInstant });
  expect(set.factors).toEqual([
    { from: now - 2 * day, markup: '0.2' },
    { from: now - 1_000, markup: '0.1' },
    { from: now + day },
  ]);
});

it('has budgets reserve by the largest markup that holds or is to come', () => {
  expect(told([-2 * day, { markup: '0.2' }], [-day, { markup: '0.1' }], [2 * day, { markup: '0.5' }])).toMatchObject({
    dearestMarkup: '0.5',
  });
  expect(told([-2 * day, { markup: '0.2' }], [-1_000, { markup: '0.1' }])).toMatchObject({ dearestMarkup: '0.2' });
  expect(told([-2 * day, { markup: '0.2' }], [-day / 2, { markup: '0.1' }])).toMatchObject({ dearestMarkup: '0.1' });
});

it('is as it was once none of them holds any more for any request', () => {
  expect(told([-9 * day, { markup: '3' }], [-2 * day, null])).toBe(place);
  expect(told([-9 * day, { markup: '3' }], [-day / 2, null])).not.toBe(place);
});
