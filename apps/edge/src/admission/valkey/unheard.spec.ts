import { Unheard } from './unheard';

const told = (sequence: number, edges: number, key: number) => ({
  ...{ sequence, toldAtMs: sequence * 10, edges, units: new Map([['key', key]]) },
});

it('counts what was taken until it is heard, with all that was told before', () => {
  const unheard = new Unheard();
  unheard.took('key', 3);
  unheard.took('key', -1);
  unheard.told(told(1, 2, 2));
  unheard.told(told(2, 2, 1));
  expect(unheard.unitsOf('key')).toBe(3);
  expect(unheard.heard(1)).toBe(10);
  expect(unheard.unitsOf('key')).toBe(1);
  unheard.took('key', 1);
  expect(unheard.heard(2)).toBe(20);
  expect(unheard.unitsOf('key')).toBe(1);
  expect(unheard.heard(2)).toBeNull();
});

it('tells the most edges that it may be known to count', () => {
  const unheard = new Unheard();
  unheard.told(told(1, 4, 0));
  unheard.told(told(2, 3, 0));
  expect(unheard.edges).toBe(4);
  unheard.heard(2);
  expect(unheard.edges).toBe(3);
});

it('says when a notice was heard', async () => {
  const unheard = new Unheard();
  unheard.told(told(1, 2, 1));
  const heard = unheard.whenHeard(1);
  expect(unheard.hasHeard(1)).toBe(false);
  unheard.heard(1);
  await heard;
  expect(unheard.hasHeard(1)).toBe(true);
});
