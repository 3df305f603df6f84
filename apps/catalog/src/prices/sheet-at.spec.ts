import { priceSheet } from '@tollgate/contracts/catalog';
import { sheetsBeside } from './sheet-at';

const sheet = (input: string) => priceSheet.parse({ input, output: '9' });
const at = Date.UTC(2026, 10, 20);
const one = {
  ...{ model: 'a', prices: sheet('1'), source: 'test', day: null },
  changes: [
    { from: new Date(at).toISOString(), prices: sheet('2') },
    { from: new Date(at + 100).toISOString(), prices: null },
    { from: new Date(at + 200).toISOString(), prices: sheet('3') },
  ],
};

it.each([
  [at - 51, []],
  [at - 50, ['2']],
  [at, ['1']],
  [at + 49, ['1']],
  [at + 50, []],
  [at + 100, ['2']],
  [at + 150, ['3']],
  [at + 200, []],
])('prices beside the one that holds at %d are those shortly before and after', (now, beside) => {
  expect(sheetsBeside(one, now, 50).map(({ input }) => input)).toEqual(beside);
});
