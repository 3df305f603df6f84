import { budgetOperations } from '@tollgate/contracts/metering';
import { calledBy } from './imported-accounts';

it.each([
  [['web'], 'web'],
  [[' web '], 'web'],
  [[null, undefined, ' ', 'id'], 'id'],
  [['one two'], 'one'],
  [['abc😀'], 'abc'],
  [['', null], '(no'],
])('%j is called %s', (names, name) => {
  const called = calledBy(4, ...names);
  expect(called.startsWith(name)).toBe(true);
  if (name !== '(no') expect(called).toBe(name);
  expect(budgetOperations.update.request.parse({ budgetId: 'b', name: called }).name).toBe(called);
});
