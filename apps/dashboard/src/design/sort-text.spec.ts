import { sortFrom, sortText } from './sort-text';

const columns = ['Name', 'Cost'];

it.each([
  ['Name', [{ id: 'Name', desc: false }]],
  ['-Cost', [{ id: 'Cost', desc: true }]],
])('%s is how a table is sorted, and the other way round', (text, sorting) => {
  expect(sortFrom(text, columns)).toEqual(sorting);
  expect(sortText(sorting)).toBe(text);
});

it.each([null, '', '-', 'Nothing', '-nothing'])('%j sorts no table', (text) =>
  expect(sortFrom(text, columns)).toEqual([]),
);

it('says nothing of a table that is not sorted', () => expect(sortText([])).toBeNull());
