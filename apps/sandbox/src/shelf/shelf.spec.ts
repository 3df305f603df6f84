import { Shelf, shelfChange } from './shelf';

function shelfAfter(...changes: object[]): Shelf {
  const shelf = new Shelf();
  for (const change of changes) shelf.change(shelfChange.parse(change));
  return shelf;
}

describe('the models of a simulated provider', () => {
  it('answer to their old names as the new one', () => {
    const shelf = shelfAfter({ rename: { 'sandbox-small': 'b' } }, { rename: { b: 'c' } });
    expect(['sandbox-small', 'b', 'c'].map((name) => shelf.served(name))).toEqual(['c', 'c', 'c']);
  });

  it('may be renamed there and back', () => {
    const shelf = shelfAfter({ rename: { 'sandbox-small': 'b' } }, { rename: { b: 'sandbox-small' } });
    expect([shelf.served('sandbox-small'), shelf.served('b')]).toEqual(['sandbox-small', 'sandbox-small']);
    expect(shelf.models.map(({ name }) => name)).toEqual(['sandbox-large', 'sandbox-small']);
  });
});
