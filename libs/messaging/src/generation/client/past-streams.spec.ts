import { PastStreams } from './past-streams';

it('remembers ids from a tick on', () => {
  const past = new PastStreams();
  for (let id = 1; id <= 5; id++) past.add(id, id * 10);
  past.forgetBefore(30);
  expect([1, 2, 3, 4, 5].filter((id) => past.has(id))).toEqual([3, 4, 5]);
});

it('is bounded: the oldest go first', () => {
  const past = new PastStreams();
  for (let id = 1; id <= 100_002; id++) past.add(id, 1);
  expect([past.has(1), past.has(2), past.has(3), past.has(100_002)]).toEqual([false, false, true, true]);
});
