import type { ProviderCheck } from '@tollgate/contracts/inference';
import { CheckTurns } from './provider-checks.controller';

const found = (says: string): ProviderCheck => ({ provider: 'home', url: 'https://home.test', ok: true, says });

/** Looks end, and rests are over, when the test says so. */
function setUp() {
  const rests: { ms: number; over: () => void }[] = [];
  const turns = new CheckTurns((ms) => new Promise<void>((over) => rests.push({ ms, over })));
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const take = (provider: string, kind: string, says = kind) =>
    turns.take(provider, kind, () => {
      begun.push(`${provider} ${says}`);
      return new Promise((resolve) => ends.push(() => resolve(found(says))));
    });
  /** All that follows by itself has happened. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { turns, take, begun, ends, rests, settled };
}

it('asks a provider for one thing at a time, and leaves it in peace for 5 s in between', async () => {
  const { take, begun, ends, rests, settled } = setUp();
  const models = take('home', 'models');
  const token = take('home', 'token');
  void take('other', 'models');
  await settled();
  expect(begun).toEqual(['home models', 'other models']);
  ends[0]?.();
  expect(await models).toEqual(found('models'));
  await settled();
  expect(begun).toEqual(['home models', 'other models']);
  expect(rests.map(({ ms }) => ms)).toEqual([5_000]);
  rests[0]?.over();
  await settled();
  expect(begun).toEqual(['home models', 'other models', 'home token']);
  ends[2]?.();
  expect(await token).toEqual(found('token'));
});

it('tells all who ask while a look waits what it finds, and nobody of one that had begun before', async () => {
  const { take, begun, ends, rests, settled } = setUp();
  const first = take('home', 'models', 'before');
  await settled();
  const later = [take('home', 'models', 'after'), take('home', 'models', 'never asked')];
  ends[0]?.();
  await first;
  await settled();
  rests[0]?.over();
  await settled();
  ends[1]?.();
  expect([await first, ...(await Promise.all(later))]).toEqual([found('before'), found('after'), found('after')]);
  expect(begun).toEqual(['home before', 'home after']);
});

it('goes on after a look that failed', async () => {
  const { turns, take, begun, rests, settled } = setUp();
  await expect(turns.take('home', 'models', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  void take('home', 'models', 'again');
  await settled();
  expect(begun).toEqual([]);
  rests[0]?.over();
  await settled();
  expect(begun).toEqual(['home again']);
});
