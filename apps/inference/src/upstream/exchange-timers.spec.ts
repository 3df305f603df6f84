import { ExchangeTimers } from './exchange-timers';

const limits = { connectMs: 50, firstByteMs: 200, idleMs: 100, totalMs: 10_000 };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Timers of one exchange, and which limits passed. */
function exchange(totalMs = limits.totalMs) {
  const passed: string[] = [];
  const timers: ExchangeTimers = new ExchangeTimers(limits, totalMs, (code) => {
    timers.stop();
    passed.push(code);
  });
  return { timers, passed };
}

/** What has passed one millisecond before this moment, and at it. */
function around(passed: readonly string[], ms: number): string[][] {
  jest.advanceTimersByTime(ms - 1);
  const before = [...passed];
  jest.advanceTimersByTime(1);
  return [before, [...passed]];
}

describe('the time limits of an exchange', () => {
  it('hold for the phase that it is in', () => {
    const { timers, passed } = exchange();
    timers.connecting();
    jest.advanceTimersByTime(49);
    timers.sent();
    expect(around(passed, 200)).toEqual([[], ['first_byte_timeout']]);
  });

  it('hold for a connection', () => {
    const { timers, passed } = exchange();
    timers.connecting();
    expect(around(passed, 50)).toEqual([[], ['connect_timeout']]);
  });

  it('begin anew at the head: for the first bytes it is the same again', () => {
    const { timers, passed } = exchange();
    timers.sent();
    jest.advanceTimersByTime(150);
    timers.headArrived();
    expect(around(passed, 200)).toEqual([[], ['first_byte_timeout']]);
  });

  it('begin anew with each bytes that come, and are shorter from the first ones on', () => {
    const { timers, passed } = exchange();
    timers.sent();
    for (let piece = 0; piece < 20; piece++) {
      jest.advanceTimersByTime(90);
      timers.bytesArrived();
    }
    expect(around(passed, 100)).toEqual([[], ['idle_timeout']]);
  });

  it('stand still while nothing is read, and begin anew behind that', () => {
    const { timers, passed } = exchange();
    timers.sent();
    timers.bytesArrived();
    timers.pause();
    jest.advanceTimersByTime(500);
    timers.resume();
    jest.advanceTimersByTime(60);
    timers.resume();
    expect(around(passed, 40)).toEqual([[], ['idle_timeout']]);
  });

  it('hold for the whole, whatever comes, or is not read', () => {
    const { timers, passed } = exchange(5_999);
    timers.sent();
    for (let piece = 0; piece < 50; piece++) {
      jest.advanceTimersByTime(90);
      timers.bytesArrived();
    }
    timers.pause();
    expect(around(passed, 1_499)).toEqual([[], ['total_timeout']]);
  });

  it('end with it', () => {
    const { timers, passed } = exchange();
    timers.sent();
    timers.bytesArrived();
    timers.stop();
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(20_000);
    expect(passed).toEqual([]);
  });

  it('take one timer, which no bytes set anew', () => {
    const { timers } = exchange();
    const set = jest.spyOn(globalThis, 'setTimeout');
    timers.sent();
    timers.headArrived();
    timers.bytesArrived();
    const before = set.mock.calls.length;
    for (let piece = 0; piece < 100; piece++) timers.bytesArrived();
    timers.pause();
    timers.resume();
    expect(set.mock.calls.length).toBe(before);
    expect(jest.getTimerCount()).toBe(1);
  });
});
