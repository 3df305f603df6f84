import { PastStreams } from './nats-generation-client';

it('remembers ids from a tick on', () => {
  const past = new PastStreams();
  for (let id = 1; id <= 5; id++) past.add(id, 'a', id * 10);
  past.forgetBefore(30);
  expect([1, 2, 3, 4, 5].filter((id) => past.wasElsewhere(id, 'b'))).toEqual([3, 4, 5]);
});

it('is bounded: the oldest go first', () => {
  const past = new PastStreams();
  for (let id = 1; id <= 100_002; id++) past.add(id, 'a', 1);
  expect([1, 2, 3, 100_002].map((id) => past.wasElsewhere(id, 'b'))).toEqual([false, false, true, true]);
});

it('knows who had a stream, and under which of its ids', () => {
  const past = new PastStreams();
  past.add(1, null, 1);
  past.add(2, 'a', 1);
  expect([past.wasElsewhere(2, 'a'), past.wasElsewhere(2, 'b'), past.wasElsewhere(1, 'a')]).toEqual([
    false,
    true,
    true,
  ]);
});
