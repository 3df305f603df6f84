import { aModel, aProvider } from '../testing/fixtures';
import { providerEndpoint } from '../upstream/provider-endpoint';
import { timeLimitsOf } from './time-limits';

const { capabilities } = aModel();

function routeOf({ reasoning = false, queues = false, timeouts = {} } = {}) {
  const provider = aProvider({ queues });
  const model = aModel({ capabilities: { ...capabilities, reasoning } });
  return { model, endpoint: providerEndpoint(provider, provider.baseUrl, { kind: 'none' }), timeouts };
}

describe('the time limits of an attempt', () => {
  it.each([
    ['a stream with another place after it', {}, { stream: true, last: false }, 120_000, 60_000],
    ['a stream without', {}, { stream: true, last: true }, 600_000, 600_000],
    ['a stream of a model that reasons', { reasoning: true }, { stream: true, last: false }, 600_000, 600_000],
    ['a stream of a server that lets requests wait', { queues: true }, { stream: true, last: false }, 600_000, 600_000],
    ['an answer that is no stream', {}, { stream: false, last: true }, 900_000, 900_000],
    ['one with another place after it', {}, { stream: false, last: false }, 600_000, 600_000],
  ])('of %s', (_what, route, request, firstByteMs, idleMs) => {
    expect(timeLimitsOf(routeOf(route), { ...request, ahead: 0 })).toEqual({
      connectMs: 5_000,
      firstByteMs,
      idleMs,
      totalMs: 900_000,
    });
  });

  it('are what the operator named, for every kind of answer', () => {
    const timeouts = { firstByteMs: 1_000, idleMs: 2_000, totalMs: 30_000 };
    for (const stream of [true, false])
      expect(
        timeLimitsOf(routeOf({ reasoning: true, queues: true, timeouts }), { stream, last: true, ahead: 9 }),
      ).toMatchObject(timeouts);
  });

  it.each([
    [0, 600_000],
    [1, 900_000],
    [9, 900_000],
  ])('wait, at a server that lets requests wait, for the %d that we have there already, too', (ahead, firstByteMs) => {
    const timeouts = { totalMs: 900_000 };
    const request = { stream: true, last: false, ahead };
    expect(timeLimitsOf(routeOf({ queues: true, timeouts }), request)).toMatchObject({ firstByteMs, idleMs: 600_000 });
    expect(timeLimitsOf(routeOf({ reasoning: true, timeouts }), request)).toMatchObject({ firstByteMs: 600_000 });
    const longer = { totalMs: 36_000_000 };
    expect(timeLimitsOf(routeOf({ queues: true, timeouts: longer }), request).firstByteMs).toBe(600_000 * (1 + ahead));
  });
});
