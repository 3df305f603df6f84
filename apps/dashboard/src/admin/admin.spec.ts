import { healthOf, restsOf, standingOf } from './health-of';
import { limitFields, limitFieldsOf, limitFrom, planChoiceText } from './limit-choice';

describe('a limit of a key', () => {
  it.each([
    ['60', 60],
    ['1,000,000', 1_000_000],
    ['1 000', 1_000],
    ['0', 0],
  ])('of its own is written as %s', (own, limit) => {
    const fields = { choice: 'own' as const, own };
    expect(limitFields.safeParse(fields).success).toBe(true);
    expect(limitFrom(fields)).toBe(limit);
  });

  it.each(['', '  ', '-1', 'many', 'plan', '99999999999999999999'])('of its own is not "%s"', (own) => {
    const { error } = limitFields.safeParse({ choice: 'own', own });
    expect(error?.issues).toMatchObject([{ path: ['own'], message: 'Enter a whole number.' }]);
  });

  it.each([null, 'plan', 0, 250] as const)('that is %s is shown as what it is, and stays so', (limit) => {
    const fields = limitFieldsOf(limit);
    expect(limitFields.safeParse(fields).success).toBe(true);
    expect(limitFrom(fields)).toBe(limit);
  });

  it('is not asked for by a field that was emptied before something else was chosen', () =>
    expect(limitFrom({ choice: 'plan', own: '' })).toBe('plan'));

  it.each([
    [60, /\(60\)/],
    [null, /no limit/],
    [undefined, /^As the plan says$/],
  ])('of a plan that has %s says so', (ofPlan, text) => expect(planChoiceText(ofPlan)).toMatch(text));
});

it.each([
  [{ configured: false, requests: 9, failed: 9 }, 'Not configured'],
  [{ configured: true, requests: 0, failed: 0 }, 'Not used'],
  [{ configured: true, requests: 4, failed: 4 }, 'Healthy'],
  [{ configured: true, requests: 100, failed: 9 }, 'Healthy'],
  [{ configured: true, requests: 100, failed: 10 }, 'Unsteady'],
  [{ configured: true, requests: 100, failed: 50 }, 'Failing'],
  [{ configured: true, requests: 100, failed: 0, leftAlone: ['eu'] }, 'Left alone'],
])('%j is %s', (provider, text) => expect(healthOf({ leftAlone: [], ...provider }).text).toBe(text));

it('names keys that rest, by their place, with what they were refused', () => {
  const everywhere = { key: 2, deployment: null, status: 401, restsForMs: 14_000 };
  const empty = { ...everywhere, key: 1, status: 429 };
  const limited = { key: 3, deployment: 'house:small', status: 429, restsForMs: 5_000 };
  expect(restsOf({ restingKeys: [empty, everywhere, limited] })).toEqual([
    expect.stringMatching(/^Key 1 is out of credit or quota \(429\) and rests for 14/),
    expect.stringMatching(/^Key 2 is refused \(401\) and rests for 14/),
    expect.stringMatching(/^Key 3 reached a limit \(429\) and rests at house:small for 5/),
  ]);
  expect(restsOf({})).toEqual([]);
});

const held = { state: 'closed' as const, reason: null, by: 'cli:ada', since: 1, until: null };
const seen = {
  timesOpened: 0,
  retryInMs: 0,
  concurrencyLimit: null,
  callers: null,
  answersNobody: false,
  openForMs: null,
  lastBusyMs: null,
  why: null,
};
const well = { ...seen, state: 'closed' as const, probes: 0, inFlight: 0, waiting: 0, instances: 1 };

it.each([
  [{ held: null, standing: null }, 'Not tried'],
  [{ held: null, standing: well }, 'In use'],
  [{ held: null, standing: { ...well, answersNobody: true } }, 'Busy for everybody'],
  [{ held: null, standing: { ...well, answersNobody: true, lastBusyMs: 3_000 } }, 'Busy for everybody'],
  [
    { held: null, standing: { ...well, answersNobody: true, lastBusyMs: 60_000 } },
    'Busy for everybody when last asked, 1m ago',
  ],
  [{ held: null, standing: { ...well, state: 'half-open' as const } }, 'On trial'],
  [{ held: null, standing: { ...well, state: 'half-open' as const, probes: 1 } }, 'On trial, 1 probe runs'],
  [{ held: null, standing: { ...well, state: 'open' as const, retryInMs: 4_000 } }, 'Left alone for 4s more'],
  [{ held, standing: { ...well, state: 'open' as const } }, 'Closed by an operator'],
  [{ held: { ...held, state: 'draining' as const }, standing: null }, 'Draining'],
])('a deployment that is %j is told as %s', (deployment, text) => expect(standingOf(deployment).text).toBe(text));
