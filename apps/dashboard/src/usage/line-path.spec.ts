import { linePath, requestsBehind, slicePath } from './line-path';

const own = { scope: 'own' as const };
const fleet = { scope: 'fleet' as const };
const day = { name: 'day' as const, from: 0, to: 0 };

it.each([
  ['model', 'openai/gpt 5', own, '/models/openai/gpt%205'],
  ['key', 'k1', own, '/keys/k1'],
  ['key', 'k1', fleet, '/admin/keys/k1'],
  ['provider', 'openai', fleet, '/admin/providers/openai'],
  ['provider', '(cache)', fleet, null],
  ['provider', 'acme (own key)', fleet, null],
  ['account', 'a1', fleet, '/admin/accounts/a1'],
  ['model', 'other', own, null],
  ['none', 'all', own, null],
] as const)('a line by %s of %s leads to its page', (group, line, filter, path) =>
  expect(linePath(group, line, filter)).toBe(path),
);

it('leads from sums to the requests behind them', () => {
  expect(requestsBehind({ ...fleet, accountId: 'a1' }, day)).toBe('/admin/requests?accountId=a1&range=day');
  const chosen = { name: 'custom' as const, from: 1, to: 2 };
  expect(requestsBehind({ ...own, model: 'a/b' }, chosen)).toBe('/requests?model=a%2Fb&range=custom&from=1&to=2');
});

it('leads from a slice to its requests, or to its project, and from the rest nowhere', () => {
  expect(slicePath('end_user', 'ann', own, day)).toBe('/requests?endUser=ann&range=day');
  expect(slicePath('tag', '(none)', own, day)).toBeNull();
  expect(slicePath('project', 'a/b', own, day)).toBe('/projects/a%2Fb');
  expect(slicePath('project', 'ci', { ...fleet, accountId: 'a1' }, day)).toBe('/admin/accounts/a1/projects/ci');
});
