import { rangeFrom, searchOf, timesOf, windowOf } from './range';

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.UTC(2026, 5, 15, 12, 34, 56);

describe('the window of a range', () => {
  it.each([
    ['hour', hour, 'minute'],
    ['day', day, 'hour'],
    ['week', 7 * day, 'hour'],
    ['month', 30 * day, 'day'],
  ] as const)('of a %s ends now', (name, length, step) =>
    expect(windowOf({ name, from: 0, to: 0 }, now)).toEqual({ startAt: now - length, endAt: now, step }),
  );

  it('of the month of the calendar begins with it, as the quota does', () =>
    expect(windowOf({ name: 'calendar', from: 0, to: 0 }, now)).toEqual({
      startAt: Date.UTC(2026, 5, 1),
      endAt: now,
      step: 'day',
    }));

  it.each([
    [now - 2 * hour, now, 'minute'],
    [now - 40 * day, now - 40 * day + hour, 'hour'],
    [now - 14 * day, now, 'hour'],
    [now - 300 * day, now, 'day'],
  ])('of a custom range has a step that gives few points: %#', (from, to, step) => {
    const window = windowOf({ name: 'custom', from, to }, now);
    expect(window.step).toBe(step);
    expect(timesOf(window).length).toBeLessThanOrEqual(1_000);
  });
});

describe('the points of a window', () => {
  it('are every hour of it', () => {
    const times = timesOf({ startAt: now - day, endAt: now, step: 'hour' });
    expect(times).toHaveLength(24);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(hour);
  });

  it('are every midnight of the reader, also where clocks change', () => {
    const startAt = new Date(2026, 2, 1).getTime();
    const times = timesOf({ startAt, endAt: new Date(2026, 3, 30).getTime(), step: 'day' });
    expect(times).toHaveLength(60);
    expect(new Set(times.map((at) => new Date(at).getHours()))).toEqual(new Set([0]));
  });
});

describe('the address of a page', () => {
  it('says the range, and is read back', () => {
    const range = { name: 'custom' as const, from: now - day, to: now };
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(searchOf(range))) if (value) search.set(name, value);
    expect(rangeFrom(search, now)).toEqual(range);
  });

  it.each(['', 'range=year', 'range=custom', 'range=custom&from=9&to=3', 'range=custom&from=x&to=y'])(
    'is the last day where it makes no sense: %s',
    (search) => expect(rangeFrom(new URLSearchParams(search), now).name).toBe('day'),
  );
});
