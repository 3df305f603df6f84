import { dayMs, daysOf } from './past';
import { sliceReport } from './slice-report';

describe('a simulated past', () => {
  const past = {
    accounts: 2,
    keys: 3,
    endUsers: 4,
    models: [],
    untilMs: Date.UTC(2026, 5, 20, 7),
    rawDays: 1,
    busyEvents: 0,
  };

  it('has every event on one day (UTC), and a day of its own for the parts at both ends', () => {
    const days = daysOf({ ...past, lengthMs: 3 * dayMs, events: 1_001 });
    expect(days.map(({ startMs }) => new Date(startMs).toISOString())).toEqual([
      '2026-06-17T07:00:00.000Z',
      '2026-06-18T00:00:00.000Z',
      '2026-06-19T00:00:00.000Z',
      '2026-06-20T00:00:00.000Z',
    ]);
    expect(days.map(({ from }) => from).slice(1)).toEqual(days.map(({ to }) => to).slice(0, -1));
    expect([days[0]?.from, days.at(-1)?.to]).toEqual([0, 1_001]);
  });

  it('has as many events as are asked for on the days in which windows begin, and on the last two', () => {
    const days = daysOf({ ...past, lengthMs: 9 * dayMs, events: 900, busyEvents: 2_400 });
    expect(days.map(({ from, to, isBusy }) => [to - from, isBusy])).toEqual([
      [71, false],
      [100, false],
      [2_400, true],
      ...Array.from({ length: 5 }, () => [100, false]),
      [2_400, true],
      [700, true],
    ]);
    expect(days.map(({ from }) => from).slice(1)).toEqual(days.map(({ to }) => to).slice(0, -1));
  });
});

it('the report says which answers are over what is promised, and how many were given up on', () => {
  const times = (p95: number, gaveUp = 0) => ({ p50: 1, p95, p99: p95, gaveUp });
  const report = sliceReport({ quick: times(900), slow: times(1_500, 3) }, { quick: times(149.9), slow: times(150) });
  expect(report).toContain('| quick | 1.0 / 149.9 | 1.0 / 900.0 |  |');
  expect(report).toContain('| slow | 1.0 / 150.0 | 1.0 / 1500.0 (3 given up on) | over 150 |');
});
