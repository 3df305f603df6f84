import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminPages, userPages, visitorPages } from './every-page';
import { fromText, lossesOf, toText } from './compare-appearance';

const button = { name: 'button Save', left: null, width: null, contrast: 6 };
const table = { name: 'table Keys', left: 200, width: 1000, contrast: null };

it('finds what is gone, each of several of one name, and nothing wrong with what came', () => {
  expect(lossesOf([button, button, table], [table, button])).toEqual(['button Save is gone']);
  expect(lossesOf([table], [button, table])).toEqual([]);
});

it('finds what is elsewhere, or of another width, by more than fonts of another machine make', () => {
  expect(lossesOf([table], [{ ...table, left: 216, width: 984 }])).toEqual([]);
  expect(lossesOf([table], [{ ...table, width: 1017 }])).toEqual([
    'table Keys is at 200, 1017 px wide, was at 200, 1000 px wide',
  ]);
});

it('finds what is harder to read, and nothing wrong with what is easier', () => {
  expect(lossesOf([button], [{ ...button, contrast: 5.4 }])).toEqual([]);
  expect(lossesOf([button], [{ ...button, contrast: 21 }])).toEqual([]);
  expect(lossesOf([button], [{ ...button, contrast: 5.3 }])).toEqual(['button Save has a contrast of 5.3, had 6']);
});

it('is kept as text, page by page', () => {
  const kept = new Map([
    ['/keys at 1440, light', [table, { ...button, name: 'button A | B' }]],
    ['/budgets at 390, dark', [button]],
  ]);
  expect(toText(kept)).toBe(`# /budgets at 390, dark
button Save | - | - | 6

# /keys at 1440, light
table Keys | 200 | 1000 | -
button A | B | - | - | 6
`);
  expect(fromText(toText(kept))).toEqual(kept);
  expect(() => fromText('# one\nnothing of ours\n')).toThrow('nothing of ours');
});

it('is kept of every page in three looks, and of no page that is gone', () => {
  const kept = fromText(readFileSync(join(__dirname, 'appearances.txt'), 'utf8'));
  const pages = [...visitorPages, ...userPages, ...adminPages];
  const looks = ['1440, light', '1440, dark', '390, light'];
  const named = pages.flatMap((page) => looks.map((look) => `${page} at ${look}`));
  expect([...kept.keys()].filter((name) => !named.includes(name))).toEqual([]);
  expect(named.filter((name) => !kept.has(name))).toEqual([]);
});
