import { PromptCache } from './hearing';

it('knows the longest beginning that an earlier prompt kept, for its model alone', () => {
  const cache = new PromptCache();
  expect(cache.keep('m', ['a', 'b'])).toBe(0);
  expect(cache.keep('m', ['a', 'b', 'c'])).toBe(2);
  expect(cache.keep('m', ['a', 'b', 'c', 'd'])).toBe(3);
  expect(cache.keep('m', ['x', 'b', 'c'])).toBe(0);
  expect(cache.keep('other', ['a', 'b'])).toBe(0);
});
