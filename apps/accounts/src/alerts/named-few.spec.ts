import { namedFew } from './named-few';

describe('names in one line', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 1}`);

  it.each([
    [1, 'n1'],
    [2, 'n1 and n2'],
    [3, 'n1, n2 and n3'],
    [10, 'n1, n2, n3, n4, n5, n6, n7, n8, n9 and n10'],
    [11, 'n1, n2, n3, n4, n5, n6, n7, n8, n9, n10 and 1 more'],
    [1_300, 'n1, n2, n3, n4, n5, n6, n7, n8, n9, n10 and 1,290 more'],
  ])('are the first ten, and how many more: %i', (count, text) => {
    expect(namedFew(names(count))).toBe(text);
  });
});
