import { KeepingPauses } from './keeping-pauses';

it('has nobody but the one account wait no more for what takes it too long', () => {
  const pauses = new KeepingPauses(5_000);
  for (const now of [0, 10, 20]) pauses.tookTooLong('one', now);
  expect([pauses.isPaused('one', 5_019), pauses.isPaused('other', 30)]).toEqual([true, false]);
  expect(pauses.isPaused('one', 5_020)).toBe(false);
});

it('is for all where two accounts waited in vain', () => {
  const pauses = new KeepingPauses(5_000);
  pauses.tookTooLong('one', 0);
  pauses.tookTooLong('two', 4_000);
  expect(pauses.isPaused('three', 4_999)).toBe(true);
  expect([pauses.isPaused('three', 5_000), pauses.isPaused('two', 5_000)]).toEqual([false, true]);
});

it('is over for an account of which a response is kept, one being tried at a time', () => {
  const pauses = new KeepingPauses(5_000);
  pauses.tookTooLong('one', 0);
  expect([pauses.mayTry('one'), pauses.mayTry('one'), pauses.mayTry('other')]).toEqual([true, false, true]);
  pauses.tried('one');
  expect([pauses.isPaused('one', 1), pauses.mayTry('one')]).toEqual([true, true]);
  pauses.kept('one');
  expect(pauses.isPaused('one', 1)).toBe(false);
});
