import { ModelList, modelChange } from './model-list';

function listAfter(...changes: object[]): ModelList {
  const list = new ModelList();
  for (const change of changes) list.change(modelChange.parse(change));
  return list;
}

describe('the models of a simulated provider', () => {
  it('answer to their old names as the new one', () => {
    const list = listAfter({ rename: { 'sandbox-small': 'b' } }, { rename: { b: 'c' } });
    expect(['sandbox-small', 'b', 'c'].map((name) => list.served(name))).toEqual(['c', 'c', 'c']);
  });

  it('may be renamed there and back', () => {
    const list = listAfter({ rename: { 'sandbox-small': 'b' } }, { rename: { b: 'sandbox-small' } });
    expect([list.served('sandbox-small'), list.served('b')]).toEqual(['sandbox-small', 'sandbox-small']);
    expect(list.models.map(({ name }) => name)).toEqual(['sandbox-large', 'sandbox-small']);
  });
});
