import { InvalidArgumentError } from 'commander';
import {
  accountReference,
  readDay,
  readLimit,
  toLimit,
  readDurationS,
  readFutureMs,
  gatherPatterns,
} from './arguments';

const now = Date.UTC(2026, 10, 20, 12);

describe('a limit', () => {
  it('is a whole number or unlimited', () => {
    const typed = ['0', '60', '1_000_000', 'unlimited'].map(readLimit);
    expect([...typed, undefined].map(toLimit)).toEqual([0, 60, 1_000_000, null, undefined]);
  });

  it.each(['', '-1', '1.5', '1e3', 'null', '_1', '9007199254740993'])('is refused as %j', (text) => {
    expect(() => readLimit(text)).toThrow(InvalidArgumentError);
  });
});

describe('a length of time', () => {
  it('has a unit, except 0', () => {
    expect(['0', '90s', '30m', '24h', '7d'].map(readDurationS)).toEqual([0, 90, 1_800, 86_400, 604_800]);
  });

  it.each(['', '7', '7 d', '-1h', '1.5h', '1w', 'd'])('is refused as %j', (text) => {
    expect(() => readDurationS(text)).toThrow(InvalidArgumentError);
  });
});

describe('a moment ahead', () => {
  it('is a date in UTC, a time with or without zone, or a length of time from now', () => {
    expect(readFutureMs('2027-01-31', now)).toBe(Date.UTC(2027, 0, 31));
    expect(readFutureMs('2027-01-31T10:00', now)).toBe(Date.UTC(2027, 0, 31, 10));
    expect(readFutureMs('2027-01-31T10:00:00+02:00', now)).toBe(Date.UTC(2027, 0, 31, 8));
    expect(readFutureMs('30d', now)).toBe(now + 30 * 86_400_000);
  });

  it.each(['2020-01-01', '0', '2027-13-01', '2027-02-31', '2027-04-31T10:00Z', 'tomorrow', ''])(
    'is refused as %j',
    (text) => {
      expect(() => readFutureMs(text, now)).toThrow(InvalidArgumentError);
    },
  );
});

describe('a day', () => {
  it('is one of the calendar', () => {
    expect(['2026-11-01', '2028-02-29'].map(readDay)).toEqual(['2026-11-01', '2028-02-29']);
  });

  it.each(['2026-13-01', '2026-02-29', '2026-11-01T00:00Z', '2026-1-1', 'yesterday', ''])('is not %j', (text) => {
    expect(() => readDay(text)).toThrow('Give a day such as 2026-11-01.');
  });
});

describe('an account', () => {
  it('is named by its id or else by its email', () => {
    const id = '01930000-0000-7000-8000-000000000000';
    expect(accountReference(id)).toEqual({ accountId: id });
    expect(accountReference('a@example.com')).toEqual({ email: 'a@example.com' });
    expect(accountReference('operator')).toEqual({ email: 'operator' });
  });
});

describe('model patterns', () => {
  it('are gathered from repeated options and from lists', () => {
    expect(['openai/*', 'a/b, c/d,'].reduce<string[]>((all, text) => gatherPatterns(text, all), [])).toEqual([
      'openai/*',
      'a/b',
      'c/d',
    ]);
  });
});
