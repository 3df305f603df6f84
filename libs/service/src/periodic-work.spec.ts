import type { Logger } from '@tollgate/observability';
import { PeriodicWork } from './periodic-work';

const error = jest.fn();
const warn = jest.fn();
let work: PeriodicWork;
/** What ends the runs that still run, in the order in which they began. */
let ends: (() => void)[];
let begun: number;
const run = (): Promise<void> => {
  begun += 1;
  return new Promise((resolve) => ends.push(resolve));
};
const end = (): Promise<void> => {
  ends.shift()?.();
  return jest.advanceTimersByTimeAsync(0);
};

beforeEach(() => {
  jest.useFakeTimers();
  error.mockReset();
  warn.mockReset();
  work = new PeriodicWork({ error, warn } as Partial<Logger> as Logger);
  ends = [];
  begun = 0;
});
afterEach(() => {
  work.onModuleDestroy();
  jest.useRealTimers();
});

it('runs once at the begin, then in its time', async () => {
  work.add({ name: 'all', everyMs: 1_000, run: () => (begun += 1) });
  expect(begun).toBe(0);
  work.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(999);
  expect(begun).toBe(1);
  await jest.advanceTimersByTimeAsync(2_001);
  expect(begun).toBe(4);
});

it('leaves a turn out while it still runs', async () => {
  work.add({ name: 'all', everyMs: 1_000, run });
  work.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(begun).toBe(1);
  await end();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(begun).toBe(2);
});

it('is asked for now: whoever asks while it runs gets one run that began afterwards', async () => {
  const turns = work.add({ name: 'all', everyMs: 1_000, run });
  const over: string[] = [];
  void turns.now().then(() => over.push('first'));
  await jest.advanceTimersByTimeAsync(0);
  void turns.now().then(() => over.push('second'));
  void turns.now().then(() => over.push('third'));
  await end();
  expect([over, begun]).toEqual([['first'], 2]);
  await end();
  expect([over, begun]).toEqual([['first', 'second', 'third'], 2]);
});

it('logs what fails, in words of its own where it has some, or tells it who wants to know, and tries again', async () => {
  const failure = new Error('away');
  const told: unknown[] = [];
  const fail = () => {
    begun += 1;
    throw failure;
  };
  work.add({ name: 'logged', everyMs: 1_000, run: fail });
  work.add({ name: 'told', everyMs: 1_000, run: fail, onFailure: (thrown) => told.push(thrown) });
  work.add({ name: 'expected', everyMs: 1_000, run: fail, failure: 'mails could not be sent' });
  work.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(begun).toBe(6);
  expect(told).toEqual([failure, failure]);
  expect(error).toHaveBeenCalledTimes(2);
  expect(warn.mock.calls).toEqual(Array(2).fill([{ err: failure }, 'mails could not be sent']));
  expect(error).toHaveBeenLastCalledWith({ err: failure, work: 'logged' }, expect.any(String));
});

it('does not wait for the turn of what failed: it is tried again after a second, and ever later, until it does not fail', async () => {
  const at: number[] = [];
  work.add({
    name: 'all',
    everyMs: 60_000,
    run: () => {
      at.push(Date.now() - startedAt);
      if (at.length < 4) throw new Error('away');
    },
  });
  const startedAt = Date.now();
  work.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(70_000);
  expect(at).toEqual([0, 1_000, 3_000, 7_000, 60_000]);
});

it('keeps to its turns where it goes on failing for an hour', async () => {
  const at: number[] = [];
  work.add({
    name: 'all',
    everyMs: 60_000,
    run: () => {
      at.push((Date.now() - startedAt) / 1_000);
      throw new Error('away');
    },
  });
  const startedAt = Date.now();
  work.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(3_600_000);
  const turns = Array.from({ length: 60 }, (_, minute) => 60 * (minute + 1));
  expect(at).toEqual([0, 1, 3, 7, 15, 31, ...turns]);
});

it('does not try again once the service stops', async () => {
  work.add({
    name: 'all',
    everyMs: 60_000,
    run: () => {
      begun += 1;
      throw new Error('away');
    },
  });
  work.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(0);
  work.onModuleDestroy();
  await jest.advanceTimersByTimeAsync(120_000);
  expect(begun).toBe(1);
});

it('begins nothing once the service stops, and waits for what runs, also for what is asked for meanwhile', async () => {
  const turns = work.add({ name: 'all', everyMs: 1_000, run });
  work.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(0);
  work.onModuleDestroy();
  let isOver = false;
  void work.beforeApplicationShutdown().then(() => (isOver = true));
  void turns.now();
  await end();
  await jest.advanceTimersByTimeAsync(5_000);
  expect([isOver, begun]).toEqual([false, 2]);
  await end();
  expect(isOver).toBe(true);
});
