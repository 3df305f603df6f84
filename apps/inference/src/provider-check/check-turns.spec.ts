import type { ProviderCheck } from '@tollgate/contracts';
import { CheckTurns } from './check-turns';

const found: ProviderCheck = { provider: 'home', url: 'https://home.test', ok: true, says: 'lists 3 models' };

function setUp() {
  let nowMs = 0;
  const waited: number[] = [];
  const wait = (ms: number) => {
    waited.push(ms);
    nowMs += ms;
    return Promise.resolve();
  };
  const turns = new CheckTurns(() => nowMs, wait);
  const look = jest.fn(() => Promise.resolve(found));
  return { turns, look, waited, pass: (ms: number) => (nowMs += ms) };
}

it('looks once for all who ask at once, for the same', async () => {
  const { turns, look } = setUp();
  const told = await Promise.all([1, 2, 3].map(() => turns.take('home', 'models', look)));
  expect(told).toEqual([found, found, found]);
  expect(look).toHaveBeenCalledTimes(1);
});

it('leaves a provider in peace for 5 s after a look, however it ended, and no other one', async () => {
  const { turns, look, waited, pass } = setUp();
  await expect(turns.take('home', 'models', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  pass(2_000);
  await turns.take('other', 'models', look);
  expect(waited).toEqual([]);
  await turns.take('home', 'token', look);
  expect(waited).toEqual([3_000]);
  pass(5_000);
  await turns.take('home', 'models', look);
  expect(waited).toEqual([3_000]);
});
