import { nearestName } from './nearest-name';

describe('nearestName', () => {
  it.each([
    ['basUrl', 'baseUrl'],
    ['BaseURL', 'baseUrl'],
    ['fallback', 'fallbacks'],
    ['promt', 'prompt'],
  ])('takes %s for %s', (typed, meant) => {
    expect(nearestName(typed, ['baseUrl', 'fallbacks', 'prompt', 'id'])).toBe(meant);
  });

  it('suggests nothing when nothing is near', () => {
    expect(nearestName('temperature', ['baseUrl', 'id'])).toBeNull();
    expect(nearestName('x', [])).toBeNull();
  });
});
