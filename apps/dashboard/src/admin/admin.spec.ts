import { healthOf } from './health-of';
import { limitFrom } from './limit-from';

it.each([
  ['', null],
  ['  ', null],
  ['60', 60],
  [' Plan', 'plan'],
  ['1,000,000', 1_000_000],
  ['1 000', 1_000],
  ['-1', undefined],
  ['many', undefined],
  ['99999999999999999999', undefined],
])('the limit "%s" is %s', (text, limit) => expect(limitFrom(text)).toBe(limit));

it.each([
  [{ configured: false, requests: 9, failed: 9 }, 'Not configured'],
  [{ configured: true, requests: 0, failed: 0 }, 'Not used'],
  [{ configured: true, requests: 4, failed: 4 }, 'Healthy'],
  [{ configured: true, requests: 100, failed: 9 }, 'Healthy'],
  [{ configured: true, requests: 100, failed: 10 }, 'Unsteady'],
  [{ configured: true, requests: 100, failed: 50 }, 'Failing'],
  [{ configured: true, requests: 100, failed: 0, leftAlone: ['eu'] }, 'Left alone'],
])('%j is %s', (provider, text) => expect(healthOf({ leftAlone: [], ...provider }).text).toBe(text));
