import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { PacedBody } from './body-turns';

describe('a body that is read in turns', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it('tells for how long it waited for them, each time once', async () => {
    const body = new PassThrough();
    const paced = new PacedBody(body, { keyId: 'key', accountId: 'account' });
    paced.readOn(1_048_576);
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
