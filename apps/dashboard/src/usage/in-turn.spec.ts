import { inTurn } from './in-turn';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('does each piece of work in a task of its own, in the order in which they came', () => {
  const done: string[] = [];
  for (const name of ['first', 'second', 'third']) inTurn(() => done.push(name));
  expect(done).toEqual([]);
  jest.advanceTimersToNextTimer();
  expect(done).toEqual(['first']);
  jest.advanceTimersToNextTimer();
  expect(done).toEqual(['first', 'second']);
  jest.runAllTimers();
  expect(done).toEqual(['first', 'second', 'third']);
});

it('leaves out what was taken back, and goes on after one that fails', () => {
  const done: string[] = [];
  inTurn(() => {
    throw new Error('it broke');
  });
  const takeBack = inTurn(() => done.push('taken back'));
  inTurn(() => done.push('other'));
  takeBack();
  expect(() => jest.advanceTimersToNextTimer()).toThrow('it broke');
  jest.runAllTimers();
  expect(done).toEqual(['other']);
});
