import { latestMonths, monthInWords } from './months';

it('offers this month of UTC and a year before it', () => {
  const months = latestMonths(Date.UTC(2026, 1, 28, 23, 59));
  expect(months.slice(0, 3)).toEqual(['2026-02', '2026-01', '2025-12']);
  expect([months.length, months.at(-1)]).toEqual([13, '2025-02']);
});

it('names a month by its own name, in every time zone', () =>
  expect(monthInWords('2026-11', 'en')).toBe('November 2026'));
