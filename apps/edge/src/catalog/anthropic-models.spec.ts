import { model } from '../testing/catalog-fixture';
import { toAnthropicList } from './anthropic-models';

const models = ['a', 'b', 'c', 'd', 'e'].map((name) => model(`p/${name}`, { name: name.toUpperCase() }));
const idsOf = (query: object) => {
  const { data, has_more: more, first_id: first, last_id: last } = toAnthropicList(models, query);
  return { ids: data.map(({ id }) => id.slice(2)).join(''), more, first, last };
};

describe("the list of models for Anthropic's clients", () => {
  it('tells each in their shape', () => {
    expect(toAnthropicList(models, { limit: '1' }).data).toEqual([
      { type: 'model', id: 'p/a', display_name: 'A', created_at: '2025-06-15T15:06:40.000Z' },
    ]);
  });

  it('goes page by page, forward and backward, and says whether there is more', () => {
    expect(idsOf({})).toEqual({ ids: 'abcde', more: false, first: 'p/a', last: 'p/e' });
    expect(idsOf({ limit: '2' })).toEqual({ ids: 'ab', more: true, first: 'p/a', last: 'p/b' });
    expect(idsOf({ limit: '2', after_id: 'p/b' })).toMatchObject({ ids: 'cd', more: true });
    expect(idsOf({ limit: '2', after_id: 'p/d' })).toMatchObject({ ids: 'e', more: false });
    expect(idsOf({ after_id: 'p/e' })).toEqual({ ids: '', more: false, first: null, last: null });
    expect(idsOf({ limit: '2', before_id: 'p/d' })).toMatchObject({ ids: 'bc', more: true });
    expect(idsOf({ limit: '2', before_id: 'p/c' })).toMatchObject({ ids: 'ab', more: false });
  });

  it.each([{ limit: '0' }, { limit: '1001' }, { limit: 'x' }, { after_id: 'p/z' }, { before_id: ['p/a'] }])(
    'refuses %j',
    (query) => expect(() => toAnthropicList(models, query)).toThrow(Object.keys(query)[0]),
  );
});
