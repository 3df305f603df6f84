import { formatDuration, formatRelative, formatWindow } from './time';

describe('durations', () => {
  it.each([
    [0, '0ms'],
    [840.4, '840ms'],
    [2_345, '2.35s'],
    [12_345, '12.3s'],
    [60_000, '1m'],
    [185_000, '3m 5s'],
  ])('%d ms is %s', (ms, text) => expect(formatDuration(ms, 'en-US')).toBe(text));
});

describe('relative times', () => {
  const now = 1_800_000_000_000;
  it.each([
    [now - 3_000, 'now'],
    [now - 45_000, '45 seconds ago'],
    [now - 180_000, '3 minutes ago'],
    [now + 2 * 86_400_000, 'in 2 days'],
  ])('%d', (at, text) => expect(formatRelative(at, now, 'en-US')).toBe(text));
});

describe('windows', () => {
  const day = new Date(2026, 10, 26).getTime();
  const text = (hours: number) => formatWindow(day, day + hours * 3_600_000, 'en-US').replaceAll(/\s/g, ' ');

  it('tell their day once, where it is one', () => expect(text(9)).toBe('Nov 26, 2026, 12:00 – 9:00 AM'));

  it('tell two days, where it is two', () => expect(text(33)).toBe('Nov 26, 2026, 12:00 AM – Nov 27, 2026, 9:00 AM'));
});
