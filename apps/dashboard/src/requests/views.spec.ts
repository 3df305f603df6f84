import { givenViews, inRangeOf, searchOfView, withView } from './views';

const of = (search: string) => searchOfView(new URLSearchParams(search));

it('says what is looked at, in whichever order an address says it', () => {
  expect(of('status=503&state=failed&range=week')).toBe(of('range=week&state=failed&status=503'));
  expect(of('state=failed&request=some-id&sort=-Cost&tag=')).toBe('state=failed');
});

it.each(givenViews.map(({ name, search }) => [name, search]))(
  'the view %s is one that an address can say',
  (_, search) => expect(of(search)).toBe(search),
);

it('keeps a view under its name once, the newest last', () => {
  const views = withView([{ name: 'One', search: 'a' }], { name: 'Two', search: 'b' });
  expect(withView(views, { name: 'One', search: 'c' })).toEqual([
    { name: 'Two', search: 'b' },
    { name: 'One', search: 'c' },
  ]);
});

it.each([
  ['', 'state=failed'],
  ['range=hour&show=refused&model=a', 'state=failed&range=hour'],
  ['from=1&to=2&range=custom', 'state=failed&range=custom&from=1&to=2'],
])('the view Failed stays in the range of %j', (search, expected) => {
  const view = { name: 'Failed', search: 'state=failed' };
  expect(inRangeOf(new URLSearchParams(search), view)).toEqual({ name: 'Failed', search: expected });
});
