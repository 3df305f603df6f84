import { BodyPlaces } from './body-places';

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
});

/** Two places an account, of which one that brings fewer than a hundred bytes in a second is another's. */
function somePlaces(alone: string[] = []) {
  const began: number[] = [];
  const places = new BodyPlaces(
    { places: 2, stalledMs: 1_000, leastBytes: 100 },
    (accountId) => !alone.includes(accountId),
    () => Date.now(),
  );
  const enter = (accountId: string, which: number) => places.enter(accountId, () => began.push(which));
  return { began, enter };
}

it('are an account’s beside others, and the next one’s when a body is over', () => {
  const { began, enter } = somePlaces();
  const bodies = [1, 2, 3, 4].map((which) => enter('one', which));
  enter('other', 5);
  expect(began).toEqual([1, 2, 5]);
  bodies[2]?.leave();
  bodies[0]?.leave();
  bodies[0]?.leave();
  expect(began).toEqual([1, 2, 5, 4]);
});

it('are lost by bodies that bring next to nothing, which go on where they do all the same', () => {
  const { began, enter } = somePlaces();
  const [first, second] = [1, 2, 3, 4, 5].map((which) => enter('one', which));
  jest.advanceTimersByTime(800);
  first?.heard(100);
  jest.advanceTimersByTime(700);
  expect(began).toEqual([1, 2, 3]);
  second?.heard(100);
  jest.advanceTimersByTime(700);
  expect(began).toEqual([1, 2, 3, 4]);
});

it('are lost by bodies that bring little again and again', () => {
  const { began, enter } = somePlaces();
  const [first, second] = [1, 2, 3].map((which) => enter('one', which));
  for (let time = 0; time < 20; time++) {
    first?.heard(1);
    second?.heard(10);
    jest.advanceTimersByTime(100);
  }
  expect(began).toEqual([1, 2, 3]);
});

it('are kept by bodies whose turn did not come', () => {
  const { began, enter } = somePlaces();
  const [first, second] = [1, 2, 3].map((which) => enter('one', which));
  jest.advanceTimersByTime(900);
  first?.waited(900);
  second?.waited(500);
  jest.advanceTimersByTime(500);
  expect(began).toEqual([1, 2]);
  jest.advanceTimersByTime(500);
  expect(began).toEqual([1, 2, 3]);
});

it('are as many as come where nobody else is, from then on when nobody is any more', () => {
  const alone: string[] = [];
  const { began, enter } = somePlaces(alone);
  for (const which of [1, 2, 3, 4]) enter('one', which);
  expect(began).toEqual([1, 2]);
  alone.push('one');
  jest.advanceTimersByTime(300);
  expect(began).toEqual([1, 2, 3, 4]);
});

it('are counted anew when a body that had lost its own leaves late', () => {
  const { began, enter } = somePlaces();
  const [stalled, over] = [enter('one', 1), enter('one', 2)];
  jest.advanceTimersByTime(2_000);
  for (const which of [3, 4]) enter('one', which).leave();
  over.leave();
  const [, last] = [enter('one', 5), enter('one', 6)];
  stalled.leave();
  enter('one', 7);
  expect(began).toEqual([1, 2, 3, 4, 5, 6]);
  last.leave();
  expect(began.at(-1)).toBe(7);
});
