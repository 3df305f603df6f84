import { isDatabaseUnavailable, isStatementTimeout, isWriteConflict } from './database-unavailable';

const withCode = (code: string) => Object.assign(new Error('refused'), { code });

it.each([
  ['ECONNREFUSED', 'nobody listens'],
  ['08006', 'the connection broke'],
  ['25006', 'a standby is asked to write'],
  ['53300', 'too many connections'],
  ['53100', 'the disk is full'],
  ['57P01', 'the server stops'],
  ['57014', 'the statement took too long'],
  ['58030', 'the disk fails'],
  ['P2024', 'no connection in time'],
])('takes %s (%s) for a database that is away', (code) => {
  expect(isDatabaseUnavailable(withCode(code))).toBe(true);
  expect(isDatabaseUnavailable(new Error('query failed', { cause: withCode(code) }))).toBe(true);
});

it.each([
  ['23505', 'a row that is there already'],
  ['22003', 'a number out of range'],
  ['25001', 'a statement that needs no transaction around it'],
  ['42601', 'a syntax error'],
  ['P2002', 'a unique value given twice'],
])('takes %s (%s) for an answer', (code) => {
  expect(isDatabaseUnavailable(withCode(code))).toBe(false);
});

it('tells a statement that took too long, here or there, from a database that is away', () => {
  const wrapped = (cause: Error) => new Error('query failed', { cause });
  expect([withCode('57014'), new Error('Query read timeout')].map(wrapped).map(isStatementTimeout)).toEqual([
    true,
    true,
  ]);
  expect([withCode('ECONNREFUSED'), withCode('53300')].map(wrapped).map(isStatementTimeout)).toEqual([false, false]);
});

it.each([
  ['40001', true],
  ['P2034', true],
  ['57014', false],
])('takes %s for a conflict with another transaction: %s', (code, isConflict) => {
  expect(isWriteConflict(new Error('query failed', { cause: withCode(code) }))).toBe(isConflict);
});
