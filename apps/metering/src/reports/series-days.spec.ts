import { cutMinutes, cutSeries, toldAsWhole } from './series-days';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const day = Date.UTC(2026, 5, 10);

/** The minute of the day (UTC) at which days begin in a time zone, at a time. */
function midnightOf(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(offset) ?? [];
  const ahead = (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  return (1_440 - ahead) % 1_440;
}

it('blocks are cut at all midnights of time zones that are not whole hours from UTC', () => {
  const midnights = Intl.supportedValuesOf('timeZone').flatMap((timeZone) =>
    [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)].map((at) => midnightOf(timeZone, at)),
  );
  const withinHours = new Set(midnights.filter((minute) => minute % 60 !== 0));
  expect([...withinHours].filter((minute) => !cutMinutes.has(minute))).toEqual([]);
  expect(withinHours.has(1_110)).toBe(true);
});

describe('a window of days that begin at 18:30', () => {
  const bounds = [-1, 0, 1].map((more) => day + more * dayMs + 18.5 * hourMs);
  const [from = 0, , to = 0] = bounds;
  const window = { step: 'day' as const, timeZone: 'Asia/Kolkata', bounds, from, to, minutesSince: 0 };
  const charted = { lines: 1n, isCut: true, points: null };

  it('has differences of what blocks have up to that minute', () => {
    const cut = cutSeries(window, new Map([[day, charted]]));
    const piece = { day, build: 1n };
    expect(cut.pieces).toEqual([
      { ...piece, step: bounds[0], until: 1_110, sign: 1, inPoints: true },
      { ...piece, step: bounds[1], until: 1_440, sign: 1, inPoints: false },
      { ...piece, step: bounds[1], until: 1_110, sign: -1, inPoints: true },
    ]);
    expect(cut.ranges).toEqual([
      { from, to: day },
      { from: day + dayMs, to },
    ]);
    expect(cut.byMinute).toEqual([bounds[0], bounds[2]].map((bound) => (bound ?? 0) - hourMs / 2));
  });

  it('reads the hour by the minute where they do not have it, and takes whole hours from blocks of 16 days', () => {
    const cut = cutSeries(window, new Map([[day, { ...charted, isCut: false, points: 16n }]]));
    const piece = { day, build: 16n, inPoints: true };
    expect(cut.pieces).toEqual([
      { ...piece, step: bounds[0], until: 18 * 60, sign: 1 },
      { ...piece, step: bounds[1], until: 1_440, sign: 1 },
      { ...piece, step: bounds[1], until: 19 * 60, sign: -1 },
    ]);
    expect(cut.byMinute).toContain(day + 18 * hourMs);
  });

  it('lets an hour whose minutes are gone count where it begins', () => {
    const cut = cutSeries({ ...window, minutesSince: Infinity }, new Map([[day, charted]]));
    expect(cut.pieces.map(({ until }) => until)).toEqual([19 * 60, 1_440, 19 * 60]);
    expect(cut.byMinute).toEqual([]);
  });

  it('has of lines by model the whole day, less the hours behind midnight, which are read from rows', () => {
    const cut = cutSeries(window, toldAsWhole(new Map([[day, charted]])));
    expect(cut.pieces).toEqual([{ day, build: 1n, step: bounds[0], until: 1_440, sign: 1, inPoints: false }]);
    const takenOut = { step: bounds[0], sign: -1 };
    const [hour, next] = [day + 18 * hourMs, day + 19 * hourMs];
    expect(cut.parts).toEqual([
      { from: hour, to: next, uses: [takenOut] },
      { from: next, to: day + dayMs, uses: [{ step: bounds[1], sign: 1 }, takenOut] },
    ]);
    expect(cut.byMinute).toContain(hour);
  });
});

describe('days of lines by model', () => {
  const windowOf = (bounds: number[]) => {
    const [from = 0, to = 0] = [bounds[0], bounds.at(-1)];
    return { step: 'day' as const, timeZone: '', bounds, from, to, minutesSince: 0 };
  };
  const charted = { lines: null, isCut: false, points: 16n };

  it('are the whole without the hours before midnight, where these are fewer', () => {
    const bounds = [day - 17 * hourMs, day + 7 * hourMs, day + 31 * hourMs];
    const { pieces, parts } = cutSeries(windowOf(bounds), toldAsWhole(new Map([[day, charted]])));
    expect(pieces).toEqual([{ day, build: 16n, step: bounds[1], until: 1_440, sign: 1, inPoints: true }]);
    expect(parts).toEqual([
      {
        from: day,
        to: day + 7 * hourMs,
        uses: [
          { step: bounds[0], sign: 1 },
          { step: bounds[1], sign: -1 },
        ],
      },
    ]);
  });

  it('need no rows where they begin at midnight of UTC', () => {
    expect(cutSeries(windowOf([day, day + dayMs]), toldAsWhole(new Map([[day, charted]]))).parts).toEqual([]);
  });
});

describe('what is in no block', () => {
  const bounds = [0, 1, 2, 3].map((more) => day + more * dayMs + 18.5 * hourMs);
  const [first = 0, second = 0] = bounds;
  const [from, to] = [day + 20.25 * hourMs, day + 2 * dayMs + 20.75 * hourMs];
  const window = { step: 'day' as const, timeZone: 'Asia/Kolkata', bounds, from, to, minutesSince: 0 };
  const hoursOf = (minutesSince: number, days: Parameters<typeof cutSeries>[1]) =>
    cutSeries({ ...window, minutesSince }, days).rest.map((part) => ({
      hours: [part.from, part.to].map((time) => (time - day) / hourMs),
      steps: part.uses.map(({ step }) => bounds.indexOf(step)),
    }));

  it('is in rows by hour of each step, without the hours that are read by the minute', () => {
    expect(hoursOf(0, new Map())).toEqual([
      { hours: [20.25, 42], steps: [0] },
      { hours: [43, 66], steps: [1] },
      { hours: [67, 68], steps: [2] },
    ]);
    expect(hoursOf(0, new Map([[day + dayMs, { lines: 1n, isCut: true, points: null }]]))).toEqual([
      { hours: [20.25, 24], steps: [0] },
      { hours: [48, 66], steps: [1] },
      { hours: [67, 68], steps: [2] },
    ]);
  });

  it('counts an hour whose minutes are gone where it begins', () => {
    expect(hoursOf(Infinity, new Map())).toEqual([
      { hours: [20.25, 43], steps: [0] },
      { hours: [43, 67], steps: [1] },
      { hours: [67, 68.75], steps: [2] },
    ]);
  });

  it('is told apart of days as a whole, beside days of which every hour is told', () => {
    const charted = { lines: 1n, isCut: true, points: null };
    const next = day + dayMs;
    const days = new Map([[day, charted], ...toldAsWhole(new Map([[next, charted]]))]);
    const { pieces, parts } = cutSeries({ ...window, from: day, to: next + dayMs }, days);
    expect(pieces.map(({ day: of, until, sign }) => [of, until, sign])).toEqual([
      [day, 1_110, 1],
      [day, 1_440, 1],
      [day, 1_110, -1],
      [next, 1_440, 1],
    ]);
    expect(parts.map((part) => [part.from, part.to, part.uses])).toEqual([
      [next + 18 * hourMs, next + 19 * hourMs, [{ step: first, sign: -1 }]],
      [
        next + 19 * hourMs,
        next + dayMs,
        [
          { step: second, sign: 1 },
          { step: first, sign: -1 },
        ],
      ],
    ]);
  });
});
