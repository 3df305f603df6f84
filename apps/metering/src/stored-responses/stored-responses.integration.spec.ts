import { backgroundEventsId, longestChainMs, storedResponseMs } from '@tollgate/contracts/metering';
import type { TurnPart } from '@tollgate/contracts/metering';
import { settingsWith, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { StoredBytes } from './stored-bytes';
import { StoredDays } from './stored-days';
import { StoredResponses } from './stored-responses';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const bornAt = Date.UTC(2026, 10, 21, 12);

let store: MeteringDatabase;
let nowMs = bornAt;
let stored: StoredResponses;
beforeAll(async () => {
  store = await startMeteringDatabase();
  const room = new StoredBytes(store.databases, settingsWith({}));
  stored = new StoredResponses(store.databases, room, () => nowMs);
  await new StoredDays(store.databases, () => nowMs).maintain();
});
afterAll(() => store.stop());
beforeEach(async () => {
  nowMs = bornAt;
  await store.database.storedTurn.deleteMany({});
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
function part(id: string, changes: Partial<TurnPart> = {}): TurnPart {
  const own = { accountId: 'account-1', keyId: 'key-1', bornAt, previous: null, part: 0, parts: 1, rawBytes: 10 };
  return { ...own, id, itemIds: [`msg_${id}`], content: base64(`turn ${id}`), ...changes };
}
const read = (id: string, changes: object = {}) =>
  stored.read({ accountId: 'account-1', id, alone: false, from: 0, maxBytes: 1_000_000, ...changes });
const textsOf = ({ parts }: Awaited<ReturnType<typeof read>>) =>
  parts.map(({ content }) => Buffer.from(content, 'base64').toString());
const after = (id: string, at = bornAt) => ({ previous: { id, bornAt: at } });
const notFound = { code: 'not_found' };

it('tells the turns of a conversation from the first, in as many parts as fit', async () => {
  await stored.keep(part('a', { part: 1, parts: 2, content: base64('more of a') }));
  await stored.keep(part('a', { parts: 2 }));
  await stored.keep(part('b', { ...after('a'), bornAt: bornAt + 1 }));
  await stored.keep(part('b', { ...after('a'), bornAt: bornAt + 1, content: base64('again') }));
  const whole = await read('b');
  expect(textsOf(whole)).toEqual(['turn a', 'more of a', 'turn b']);
  expect(whole).toMatchObject({ next: null, rawBytes: 20, bornAt: bornAt + 1, oldestAt: bornAt });
  const first = await read('b', { maxBytes: 7 });
  expect([textsOf(first), first.next]).toEqual([['turn a'], 1]);
  expect(textsOf(await read('b', { from: 1 }))).toEqual(['more of a', 'turn b']);
  expect(textsOf(await read('b', { alone: true }))).toEqual(['turn b']);
});

it('walks a conversation for its first page alone: the next are asked for with its turns', async () => {
  await stored.keep(part('a', { part: 1, parts: 2, content: base64('more of a') }));
  await stored.keep(part('a', { parts: 2 }));
  await stored.keep(part('b', after('a')));
  const { next, turns, ...told } = await read('b', { maxBytes: 7 });
  expect([next, turns?.map(({ id, parts }) => [id, parts])]).toEqual([
    1,
    [
      ['a', 2],
      ['b', 1],
    ],
  ]);
  // Whoever walks finds no beginning any more.
  await store.database.storedTurn.deleteMany({ where: { id: 'a', part: 0 } });
  await expect(read('b', { from: 1 })).rejects.toMatchObject(notFound);
  const rest = await read('b', { from: 1, turns });
  expect([textsOf(rest), rest.next, rest.turns]).toEqual([['more of a', 'turn b'], null, undefined]);
  expect(rest).toMatchObject({ rawBytes: told.rawBytes, bornAt: told.bornAt, oldestAt: told.oldestAt });
  await expect(read('b', { accountId: 'account-2', from: 1, turns })).rejects.toMatchObject(notFound);
});

it('shows nothing to another account, nothing half kept, and nothing that is too old', async () => {
  await stored.keep(part('mine'));
  await stored.keep(part('half', { part: 1, parts: 2 }));
  await expect(read('mine', { accountId: 'account-2' })).rejects.toMatchObject(notFound);
  await expect(read('half')).rejects.toMatchObject(notFound);
  await expect(stored.remove('account-2', 'mine')).rejects.toMatchObject(notFound);
  expect(await stored.holding('account-2', ['msg_mine'])).toEqual([]);
  expect(await stored.holding('account-1', ['msg_mine', 'msg_none'])).toEqual(['mine']);
  nowMs += storedResponseMs + 1;
  await expect(read('mine')).rejects.toMatchObject(notFound);
});

it('keeps what was removed only as long as another turn stands on it', async () => {
  await stored.keep(part('a'));
  await stored.keep(part('b', after('a')));
  await stored.keep(part('c', after('b')));
  await stored.remove('account-1', 'a');
  await expect(read('a')).rejects.toMatchObject(notFound);
  await expect(stored.remove('account-1', 'a')).rejects.toMatchObject(notFound);
  expect(textsOf(await read('c'))).toEqual(['turn a', 'turn b', 'turn c']);
  await stored.remove('account-1', 'b');
  await stored.remove('account-1', 'c');
  expect(await store.database.storedTurn.count()).toBe(0);
});

it('removes the events of a response with it, of all its makings', async () => {
  const pieces = [1, 2].flatMap((making) => [0, 1, 2].map((piece) => backgroundEventsId('a', making, piece)));
  for (const id of ['a', 'b', backgroundEventsId('b', 1, 0), ...pieces]) await stored.keep(part(id));
  await stored.remove('account-1', 'a');
  const left = await store.database.storedTurn.findMany({ select: { id: true } });
  expect(left.map(({ id }) => id).toSorted()).toEqual(['b', backgroundEventsId('b', 1, 0)]);
});

it('does not tell a conversation whose beginning is missing as a whole one', async () => {
  await stored.keep(part('a'));
  await stored.keep(part('b', after('a')));
  await store.database.storedTurn.deleteMany({ where: { id: 'a' } });
  await expect(read('b')).rejects.toMatchObject(notFound);
});

it('keeps nothing that stands on what was removed while it was made', async () => {
  await stored.keep(part('a'));
  await stored.remove('account-1', 'a');
  await expect(stored.keep(part('b', after('a')))).rejects.toMatchObject(notFound);
  expect(await store.database.storedTurn.count()).toBe(0);
});

it('finds the newest response that holds an item', async () => {
  await stored.keep(part('a', { itemIds: ['msg_0'] }));
  await stored.keep(part('b', { itemIds: ['msg_0', 'msg_1'], bornAt: bornAt + hourMs }));
  expect(await stored.holding('account-1', ['msg_0', 'msg_1', 'msg_2'])).toEqual(['b']);
  expect(await stored.holding('account-2', ['msg_0'])).toEqual([]);
  expect(await stored.holding('account-1', [])).toEqual([]);
});

it('drops a day when nothing that may be read stands on it', async () => {
  await stored.keep(part('old'));
  const days = new StoredDays(store.databases, () => nowMs);
  nowMs += storedResponseMs + longestChainMs;
  await days.maintain();
  expect(await store.database.storedTurn.count()).toBe(1);
  nowMs += dayMs;
  await days.maintain();
  expect(await store.database.storedTurn.count()).toBe(0);
  await stored.keep(part('new', { bornAt: nowMs + 7 * dayMs - hourMs }));
});
