import { isRawRows, typedRows, untagged } from './engine-answer';

it('leaves the types of values away', () => {
  const answer = {
    token: 'a',
    expires: { $type: 'DateTime', value: '2026-11-27T16:00:00.000Z' },
    metadata: { $type: 'Json', value: '{"$type":"mine"}' },
    tags: ['x'],
    budget: { tpm_limit: { $type: 'BigInt', value: '5' }, max_budget: null },
  };
  expect(untagged([answer])).toEqual([
    {
      ...{ token: 'a', expires: '2026-11-27T16:00:00.000Z', metadata: '{"$type":"mine"}', tags: ['x'] },
      budget: { tpm_limit: '5', max_budget: null },
    },
  ]);
});

it('tells every value of a row of SQL with its type', () => {
  const rows = {
    columns: ['count', 'names', 'none'],
    types: ['bigint', 'string-array', 'int'],
    rows: [['2', ['a', null], null]],
  };
  expect(isRawRows(rows)).toBe(true);
  expect(isRawRows({ columns: 3 })).toBe(false);
  const typed = (type: string, value: unknown) => ({ prisma__type: type, prisma__value: value });
  expect(typedRows(rows)).toEqual([
    {
      count: typed('bigint', '2'),
      names: typed('array', [typed('string', 'a'), typed('null', null)]),
      none: typed('null', null),
    },
  ]);
});
