import { FakeClock } from '../testing/fake-clock';
import { SharedAnswer } from './dashboard-services';

it('is asked for once by all who come within its time, and anew after it', async () => {
  const clock = new FakeClock();
  let asked = 0;
  const answer = new SharedAnswer(clock, 10_000, () => Promise.resolve((asked += 1)));
  expect(await Promise.all([answer.read(), answer.read()])).toEqual([1, 1]);
  clock.advance(9_999);
  expect(await answer.read()).toBe(1);
  clock.advance(1);
  expect(await answer.read()).toBe(2);
});

it('is shared for its time from when it came, however long it took', async () => {
  const clock = new FakeClock();
  const waiting: (() => void)[] = [];
  const answer = new SharedAnswer(clock, 10_000, () => new Promise<void>((resolve) => waiting.push(resolve)));
  const first = answer.read();
  clock.advance(60_000);
  const second = answer.read();
  waiting[0]?.();
  await Promise.all([first, second]);
  await answer.read();
  expect(waiting).toHaveLength(1);
});

it('a failure is told to who waits for it, and not kept', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve('here')];
  const answer = new SharedAnswer(new FakeClock(), 10_000, () => answers.shift() ?? Promise.resolve('more'));
  await expect(answer.read()).rejects.toThrow('away');
  expect(await answer.read()).toBe('here');
});
