import { backgroundLeaseMs, backgroundPartIds } from '@tollgate/contracts/metering';
import { StoredBytes } from '../stored-responses/stored-bytes';
import { StoredDays } from '../stored-responses/stored-days';
import { StoredResponses } from '../stored-responses/stored-responses';
import { settingsWith, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { BackgroundResponses } from './background-responses';

const bornAt = Date.UTC(2026, 10, 24, 12);
let store: MeteringDatabase;
let nowMs = bornAt;
let background: BackgroundResponses;
let stored: StoredResponses;
beforeAll(async () => {
  store = await startMeteringDatabase();
  background = new BackgroundResponses(store.databases, () => nowMs);
  stored = new StoredResponses(store.databases, new StoredBytes(store.databases, settingsWith({})), () => nowMs);
  await new StoredDays(store.databases, () => nowMs).maintain();
});
afterAll(() => store.stop());
beforeEach(async () => {
  nowMs = bornAt;
  await store.database.backgroundResponse.deleteMany({});
  await store.database.storedTurn.deleteMany({});
});

const accountId = 'account-1';
const work = (id: string) => ({ accountId, id, keyId: 'key-1', eventId: `event of ${id}`, bornAt });
const begin = (id: string, holder = 'edge-1') => background.begin({ ...work(id), holder });
const take = (holder: string, most = 10) => background.take({ holder, most });
const keep = (id: string, at: number) =>
  stored.keep({
    ...{ accountId, keyId: 'key-1', id, bornAt: at, previous: null, part: 0, parts: 1, rawBytes: 1, itemIds: [] },
    content: Buffer.from(`${id} at ${at - bornAt}`).toString('base64'),
  });
const notFound = { code: 'not_found' };

it('gives work whose lease is over to one edge, once, with the event that it began with', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await begin(id);
  nowMs += backgroundLeaseMs;
  expect(await take('edge-2')).toEqual([]);
  nowMs += 1;
  const taken = await Promise.all(['edge-2', 'edge-3', 'edge-4', 'edge-5'].map((edge) => take(edge, 1)));
  expect(
    taken
      .flat()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(['a', 'b', 'c', 'd']);
  expect(taken.flat()).toContainEqual({ ...work('a'), makings: 2, isCancelled: false });
  expect(await take('edge-6')).toEqual([]);
});

it('leaves work with the edge that renews it, and tells that one what it lost', async () => {
  await begin('kept');
  await begin('lost');
  nowMs += backgroundLeaseMs - 1;
  const ours = (id: string) => ({ accountId, id });
  expect(await background.renew({ holder: 'edge-1', works: [ours('kept')] })).toEqual([
    { ...ours('kept'), isCancelled: false },
  ]);
  nowMs += 2;
  expect((await take('edge-2')).map(({ id }) => id)).toEqual(['lost']);
  const held = await background.renew({ holder: 'edge-1', works: [ours('kept'), ours('lost')] });
  expect(held.map(({ id }) => id)).toEqual(['kept']);
  await background.release({ ...ours('lost'), holder: 'edge-1' });
  await background.finish({ ...ours('lost'), holder: 'edge-1' });
  expect(await background.find(ours('lost'))).toEqual({ isHeld: true, isCancelled: false });
  await background.release({ ...ours('lost'), holder: 'edge-2' });
  expect(await background.find(ours('lost'))).toEqual({ isHeld: false, isCancelled: false });
  expect(await take('edge-3')).toMatchObject([{ id: 'lost', makings: 3 }]);
});

it('tells of a cancel to who works on it, and of none to another account', async () => {
  await begin('a');
  for (const call of [
    () => background.cancel({ accountId: 'account-2', id: 'a' }),
    () => background.cancel({ accountId, id: 'x' }),
  ])
    await expect(call()).rejects.toMatchObject(notFound);
  await expect(background.find({ accountId: 'account-2', id: 'a' })).rejects.toMatchObject(notFound);
  await background.cancel({ accountId, id: 'a' });
  expect(await background.renew({ holder: 'edge-1', works: [{ accountId, id: 'a' }] })).toMatchObject([
    { isCancelled: true },
  ]);
  nowMs += backgroundLeaseMs + 1;
  expect(await take('edge-2')).toMatchObject([{ id: 'a', isCancelled: true }]);
});

it('leaves the response in its last form, and nothing else, when it is finished', async () => {
  await begin('a');
  await keep('a', bornAt);
  for (const part of backgroundPartIds('a')) await keep(part, bornAt);
  await keep('a', bornAt + 1);
  await background.finish({ accountId, id: 'a', holder: 'edge-1' });
  await expect(background.find({ accountId, id: 'a' })).rejects.toMatchObject(notFound);
  const left = await store.database.storedTurn.findMany();
  expect(left.map(({ id, bornAt: at }) => [id, at.getTime()])).toEqual([['a', bornAt + 1]]);
});

it('leaves nothing to work on where the response is removed', async () => {
  await begin('a');
  await keep('a', bornAt);
  for (const part of backgroundPartIds('a')) await keep(part, bornAt);
  await stored.remove(accountId, 'a');
  expect(await background.renew({ holder: 'edge-1', works: [{ accountId, id: 'a' }] })).toEqual([]);
  expect(await store.database.storedTurn.findMany()).toEqual([]);
});
