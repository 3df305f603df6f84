import { healthOf, standingOf } from './health-of';
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

const held = { state: 'closed' as const, reason: null, by: 'cli:ada', since: 1, until: null };
const seen = { timesOpened: 0, retryInMs: 0, concurrencyLimit: null, callers: null, openForMs: null, why: null };
const well = { ...seen, state: 'closed' as const, inFlight: 0, waiting: 0, instances: 1 };

it.each([
  [{ held: null, standing: null }, 'Not tried'],
  [{ held: null, standing: well }, 'In use'],
  [{ held: null, standing: { ...well, state: 'half-open' as const } }, 'On trial'],
  [{ held: null, standing: { ...well, state: 'open' as const, retryInMs: 4_000 } }, 'Left alone for 4s more'],
  [{ held, standing: { ...well, state: 'open' as const } }, 'Closed by an operator'],
  [{ held: { ...held, state: 'draining' as const }, standing: null }, 'Draining'],
])('a deployment that is %j is told as %s', (deployment, text) => expect(standingOf(deployment).text).toBe(text));
