import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { AccountPace, Company } from '@tollgate/messaging';
import { BodyTurns, PacedBody } from './body-turns';

describe('a body that is read in turns', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it('tells for how long it waited for them, each time once', async () => {
    const body = new PassThrough();
    const paced = new PacedBody(body, { keyId: 'key', accountId: 'account' }, new BodyTurns());
    paced.readOn(1_048_576, 'large');
    expect(body.isPaused()).toBe(true);
    jest.advanceTimersByTime(4_000);
    expect(paced.takeWaitedMs()).toBe(4_000);
    jest.advanceTimersByTime(1_000);
    await turn();
    expect(body.isPaused()).toBe(false);
    jest.advanceTimersByTime(3_000);
    expect([paced.takeWaitedMs(), paced.takeWaitedMs()]).toEqual([1_000, 0]);
    paced.stop();
  });
});

describe('bodies of one account beside another', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  const mebibyte = 1_048_576;

  it('are read at its pace, for which what is small does not wait', async () => {
    const pace = new AccountPace(
      { bytesPerS: mebibyte, burstBytes: 4 * mebibyte, peakBytesPerS: Infinity },
      new Company(),
    );
    const all = new BodyTurns(pace);
    const body = (accountId: string) => {
      const stream = new PassThrough();
      return { stream, paced: new PacedBody(stream, { keyId: accountId, accountId }, all) };
    };
    const other = body('other');
    const large = Array.from({ length: 6 }, () => body('one'));
    const small = body('one');
    other.paced.readOn(10, 'small');
    for (const { paced } of large) paced.readOn(mebibyte, 'large');
    small.paced.readOn(1_000, 'small');
    const areWaiting = () => [...large, small, other].map(({ stream }) => stream.isPaused());
    const untilWaiting = async (count: number) => {
      while (areWaiting().filter(Boolean).length > count) await turn();
    };
    await untilWaiting(2);
    expect(areWaiting()).toEqual([false, false, false, false, true, true, false, false]);
    jest.advanceTimersByTime(1_001);
    await untilWaiting(1);
    expect(areWaiting().indexOf(true)).toBe(5);
    jest.advanceTimersByTime(1_001);
    await untilWaiting(0);
    for (const { paced } of [...large, small, other]) paced.stop();
  });
  it('go on in turns of the event loop where many waited for it until the same moment', async () => {
    const pace = new AccountPace({ bytesPerS: mebibyte, burstBytes: mebibyte, peakBytesPerS: Infinity }, new Company());
    const all = new BodyTurns(pace);
    const body = (accountId: string) => {
      const stream = new PassThrough();
      return { stream, paced: new PacedBody(stream, { keyId: accountId, accountId }, all) };
    };
    const other = body('other');
    const late = Array.from({ length: 4 }, () => body('one'));
    other.paced.readOn(10, 'small');
    pace.waitMs('one', mebibyte);
    for (const { paced } of late) paced.readOn(204_800, 'large');
    const waiting = () => late.filter(({ stream }) => stream.isPaused()).length;
    expect(waiting()).toBe(4);
    jest.advanceTimersByTime(10_000);
    const seen: number[] = [];
    while (waiting() > 0) {
      await turn();
      seen.push(waiting());
    }
    expect(Math.max(...seen.map((left, at) => (seen[at - 1] ?? 4) - left))).toBeLessThanOrEqual(2);
    for (const { paced } of [...late, other]) paced.stop();
  });
});
