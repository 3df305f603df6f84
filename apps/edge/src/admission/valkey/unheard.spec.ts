import { Unheard } from './unheard';

const told = (sequence: number, edges: number) => ({ sequence, toldAtMs: sequence * 10, edges });

it('counts what was taken until it is heard, with all that was told before', () => {
  const unheard = new Unheard();
  unheard.took('key', 2);
  unheard.told(told(1, 2));
  unheard.took('key', 1);
  unheard.told(told(2, 2));
  unheard.took('key', 1);
  expect(unheard.unitsOf('key')).toBe(4);
  expect(unheard.heard(1)).toBe(10);
  expect(unheard.unitsOf('key')).toBe(2);
  expect(unheard.heard(2)).toBe(20);
  expect(unheard.unitsOf('key')).toBe(1);
  expect(unheard.heard(2)).toBeNull();
});

it('keeps nothing of units that were given back before they were told', () => {
  const unheard = new Unheard();
  unheard.took('key', 1);
  unheard.took('key', -1);
  unheard.told(told(1, 2));
  unheard.heard(1);
  expect(unheard.unitsOf('key')).toBe(0);
});

it('tells the most edges that it may be known to count', () => {
  const unheard = new Unheard();
  unheard.told(told(1, 4));
  unheard.told(told(2, 3));
  expect(unheard.edges).toBe(4);
  unheard.heard(2);
  expect(unheard.edges).toBe(3);
});

it('says when a notice was heard', async () => {
  const unheard = new Unheard();
  unheard.told(told(1, 2));
  const heard = unheard.whenHeard(1);
  expect(unheard.hasHeard(1)).toBe(false);
  unheard.heard(1);
  await heard;
  expect(unheard.hasHeard(1)).toBe(true);
});
