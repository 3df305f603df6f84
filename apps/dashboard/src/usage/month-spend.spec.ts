import type { Series } from '@tollgate/contracts/metering';
import { changeOf, monthSpendOf } from './month-spend';

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const costs = (points: Record<string, string>) => {
  const line = { points: Object.entries(points).map(([at, costNanoUsd]) => ({ at: day(at), costNanoUsd })) };
  return { lines: [line] } as unknown as Series;
};

it('adds up this month and the one before, and goes on at the pace so far', () => {
  const spend = monthSpendOf(
    costs({ '2026-10-01': '60', '2026-10-31': '140', '2026-11-01': '50', '2026-11-10': '50' }),
    day('2026-11-11'),
  );
  expect(spend).toEqual({ soFar: 100n, atThisPace: 300n, before: 200n });
  expect(changeOf(spend)).toBe(0.5);
});

it('tells no pace on the first day, and no change beside a month without cost', () => {
  const young = monthSpendOf(costs({ '2026-10-20': '60', '2026-11-01': '5' }), day('2026-11-01') + 3_600_000);
  expect(young).toEqual({ soFar: 5n, atThisPace: null, before: 60n });
  expect(changeOf(young)).toBeNull();
  expect(changeOf(monthSpendOf(costs({ '2026-11-01': '5' }), day('2026-11-03')))).toBeNull();
});

it('knows of December and January', () =>
  expect(monthSpendOf(costs({ '2025-12-31': '7', '2026-01-01': '9' }), day('2026-01-02'))).toEqual({
    ...{ soFar: 9n, atThisPace: 279n, before: 7n },
  }));
