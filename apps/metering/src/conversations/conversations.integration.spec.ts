import { conversationLeaseMs, conversationMs } from '@tollgate/contracts/metering';
import type { ItemPart } from '@tollgate/contracts/metering';
import { StoredBytes } from '../stored-responses/stored-bytes';
import { StoredDays } from '../stored-responses/stored-days';
import { settingsWith, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { Conversations } from './conversations';
import { nextParts } from './next-parts';

const dayMs = 86_400_000;
const bornAt = Date.UTC(2026, 10, 21, 12);
const accountId = 'account-1';

let store: MeteringDatabase;
let nowMs = bornAt;
let conversations: Conversations;
let days: StoredDays;
beforeAll(async () => {
  store = await startMeteringDatabase();
  conversations = withRoomFor(20_000);
  days = new StoredDays(store.databases, () => nowMs);
});
afterAll(() => store.stop());
beforeEach(async () => {
  nowMs = bornAt;
  await days.maintain();
  await store.database.conversationItem.deleteMany({});
  await store.database.conversation.deleteMany({});
});

const withRoomFor = (storedBytes: number) =>
  new Conversations(
    store.databases,
    new StoredBytes(store.databases, settingsWith({ METERING_STORED_BYTES: String(storedBytes) })),
    () => nowMs,
  );
const base64 = (text: string) => Buffer.from(text).toString('base64');
const create = (id: string) =>
  conversations.create({ accountId, id, keyId: 'key-1', createdAt: nowMs, content: base64('metadata') });
const part = (ordinal: number, text: string, changes: Partial<ItemPart> = {}): ItemPart => ({
  ...{ ordinal, itemId: `item_${ordinal}`, part: 0, parts: 1, rawBytes: 10, content: base64(text) },
  ...changes,
});
async function add(id: string, ...parts: ItemPart[]): Promise<void> {
  const { nextOrdinal } = await conversations.lock({ accountId, id, lockId: 'adds' });
  const moved = parts.map((one) => ({ ...one, ordinal: nextOrdinal + one.ordinal }));
  await conversations.add({ accountId, id, lockId: 'adds', parts: moved, isLast: true });
}
const wanted = { order: 'asc' as const, from: null, after: null, only: null, items: 100, maxBytes: 1_000_000 };
async function read(id: string, changes: Partial<Parameters<Conversations['read']>[0]> = {}) {
  const { parts, ...rest } = await conversations.read({ accountId, id, ...wanted, ...changes });
  return { ...rest, texts: parts.map(({ content }) => Buffer.from(content, 'base64').toString()) };
}
const notFound = { code: 'not_found' };
const conflict = { code: 'conflict' };

it('tells items in their order, from either end, by items, bytes and place', async () => {
  await create('a');
  await add('a', part(0, 'one'), part(1, 'two', { parts: 2 }), part(1, 'more of two', { part: 1, parts: 2 }));
  await add('a', part(0, 'three', { itemId: 'third' }));
  expect(await read('a')).toEqual({ texts: ['one', 'two', 'more of two', 'three'], isMore: false, rawBytes: 30 });
  expect(await read('a', { order: 'desc', items: 2 })).toMatchObject({
    texts: ['three', 'two', 'more of two'],
    isMore: true,
  });
  expect(await read('a', { maxBytes: 4 })).toMatchObject({ texts: ['one'], isMore: true });
  expect(await read('a', { maxBytes: 1, from: { ordinal: 1, part: 0 } })).toMatchObject({ texts: ['more of two'] });
  expect(await read('a', { after: 'item_1' })).toMatchObject({ texts: ['three'], isMore: false });
  expect(await read('a', { after: 'third', order: 'desc' })).toMatchObject({ texts: ['two', 'more of two', 'one'] });
  expect(await read('a', { only: 'item_1' })).toMatchObject({ texts: ['two', 'more of two'] });
  await expect(read('a', { after: 'none' })).rejects.toMatchObject(notFound);
});

it('belongs to its account, and is gone with its items when it is removed', async () => {
  await create('a');
  await add('a', part(0, 'one'));
  const strange = { accountId: 'account-2', id: 'a' };
  await expect(conversations.find(strange)).rejects.toMatchObject(notFound);
  await expect(read('a', strange)).rejects.toMatchObject(notFound);
  await expect(conversations.lock({ ...strange, lockId: 'x' })).rejects.toMatchObject(notFound);
  await expect(conversations.describe({ ...strange, content: '' })).rejects.toMatchObject(notFound);
  await expect(conversations.removeItem({ ...strange, itemId: 'item_0' })).rejects.toMatchObject(notFound);
  await expect(conversations.remove(strange)).rejects.toMatchObject(notFound);
  await conversations.remove({ accountId, id: 'a' });
  await expect(read('a')).rejects.toMatchObject(notFound);
  expect(await store.database.conversationItem.count()).toBe(0);
  expect(await storedBytes()).toBe(0);
});

it('has one writer at a time, who keeps it as long as it says so, and leaves nothing half added', async () => {
  await create('a');
  await conversations.lock({ accountId, id: 'a', lockId: 'first' });
  await expect(conversations.lock({ accountId, id: 'a', lockId: 'second' })).rejects.toMatchObject(conflict);
  nowMs += conversationLeaseMs - 1;
  await conversations.lock({ accountId, id: 'a', lockId: 'first' });
  nowMs += conversationLeaseMs - 1;
  await expect(conversations.removeItem({ accountId, id: 'a', itemId: 'x' })).rejects.toMatchObject(conflict);
  await conversations.add({ accountId, id: 'a', lockId: 'first', parts: [part(0, 'half')], isLast: false });
  expect((await read('a')).texts).toEqual([]);
  // It died.
  nowMs += 2;
  await add('a', part(0, 'whole'));
  const late = { accountId, id: 'a', lockId: 'first', parts: [part(1, 'late')], isLast: true };
  await expect(conversations.add(late)).rejects.toMatchObject(conflict);
  expect((await read('a')).texts).toEqual(['whole']);
  await conversations.lock({ accountId, id: 'a', lockId: 'third' });
  await conversations.unlock({ accountId, id: 'a', lockId: 'third' });
  await expect(conversations.lock({ accountId, id: 'a', lockId: 'fourth' })).resolves.toMatchObject({ nextOrdinal: 1 });
});

it('removes an item, and takes other metadata', async () => {
  await create('a');
  await add('a', part(0, 'one'), part(1, 'two'));
  await conversations.removeItem({ accountId, id: 'a', itemId: 'item_0' });
  expect(await read('a')).toEqual({ texts: ['two'], isMore: false, rawBytes: 10 });
  await expect(conversations.removeItem({ accountId, id: 'a', itemId: 'item_0' })).rejects.toMatchObject(notFound);
  await add('a', part(0, 'three'));
  expect((await read('a')).texts).toEqual(['two', 'three']);
  const head = await conversations.describe({ accountId, id: 'a', content: base64('others') });
  expect(head).toEqual({ createdAt: bornAt, content: base64('others') });
});

it('is kept for its time after it was added to last, then not shown, and dropped with its day', async () => {
  await create('used');
  await create('left');
  await add('used', part(0, 'one'));
  await add('left', part(0, 'one'));
  nowMs += conversationMs - 1;
  await days.maintain();
  await add('used', part(0, 'two'));
  nowMs += 1;
  expect((await read('used')).texts).toEqual(['one', 'two']);
  await expect(read('left')).rejects.toMatchObject(notFound);
  nowMs += 2 * dayMs;
  await days.maintain();
  expect(await store.database.conversation.findMany({ select: { id: true } })).toEqual([{ id: 'used' }]);
  expect(await store.database.conversationItem.count()).toBe(2);
  expect(await storedBytes()).toBe(6);
  nowMs += conversationMs;
  await days.maintain();
  expect([await store.database.conversation.count(), await store.database.conversationItem.count()]).toEqual([0, 0]);
  expect(await storedBytes()).toBe(0);
});

it('takes no more than an account may have stored, and again where there is room', async () => {
  await create('a');
  const bounded = withRoomFor(10);
  const { nextOrdinal } = await bounded.lock({ accountId, id: 'a', lockId: 'x' });
  const adding = { accountId, id: 'a', lockId: 'x', isLast: true };
  const tooMuch = { ...adding, parts: [part(nextOrdinal, '12345678901')] };
  await expect(bounded.add(tooMuch)).rejects.toMatchObject({ code: 'forbidden' });
  await bounded.add({ ...adding, parts: [part(nextOrdinal, '1234567890')] });
  await bounded.lock({ accountId, id: 'a', lockId: 'x' });
  const one = { ...adding, parts: [part(nextOrdinal + 1, '1')] };
  await expect(bounded.add(one)).rejects.toMatchObject({ code: 'forbidden' });
  await bounded.unlock({ accountId, id: 'a', lockId: 'x' });
  await bounded.removeItem({ accountId, id: 'a', itemId: 'item_0' });
  await bounded.lock({ accountId, id: 'a', lockId: 'x' });
  await expect(bounded.add(one)).resolves.toBeUndefined();
});

describe('a conversation of many items', () => {
  const many = 12_000;
  beforeEach(async () => {
    await create('long');
    await add('long', part(0, 'one'));
    await store.database.$executeRaw`
      INSERT INTO conversation_item (account_id, conversation_id, ordinal, part, day, item_id, parts, raw_bytes, content)
      SELECT ${accountId}, 'long', number, 0, ${new Date(bornAt)}::date, 'item_' || number, 1, 1, 'x'::bytea
      FROM generate_series(1, ${many - 1}::int) AS number`;
    await store.database.conversation.updateMany({ where: { id: 'long' }, data: { nextOrdinal: many } });
    await store.database.$executeRaw`ANALYZE conversation_item`;
  }, 60_000);

  /** The most rows that a step of reading passes over. */
  async function rowsPassed(order: 'asc' | 'desc', from: { ordinal: number; part: number }): Promise<number> {
    const page = { accountId, id: 'long', order, from, only: null, before: many };
    const [row] = await store.database.$queryRaw<{ 'QUERY PLAN': [{ Plan: PlanStep }] }[]>`
      EXPLAIN (ANALYZE, FORMAT JSON) ${nextParts(page)}`;
    return mostRows(row?.['QUERY PLAN'][0].Plan);
  }

  it.each(['asc', 'desc'] as const)('costs no more than what is read of it: %s', async (order) => {
    for (const ordinal of [0, many / 2, many])
      expect(await rowsPassed(order, { ordinal, part: 0 })).toBeLessThan(2_000);
    const page = await read('long', { order, items: 5_000 });
    expect(page).toMatchObject({ isMore: true, rawBytes: 10 });
    expect(page.texts).toHaveLength(1_000);
  });

  it('is counted once a statement, not once an item', async () => {
    const updates = await store.database.$transaction(async (queries) => {
      await queries.conversationItem.deleteMany({ where: { ordinal: { lt: 500 } } });
      const [counted] = await queries.$queryRaw<{ updates: bigint }[]>`
        SELECT n_tup_upd AS updates FROM pg_stat_xact_user_tables WHERE relname = 'stored_bytes'`;
      return Number(counted?.updates);
    });
    // Those of statements just before on the same connection may be among them.
    expect(updates).toBeLessThan(50);
    expect(await storedBytes()).toBe(many - 500);
  });

  it('moves to the day on which it was added to, with its bytes', async () => {
    nowMs += dayMs;
    await add('long', part(0, 'two'));
    const day = new Date('2026-11-22');
    expect(await store.database.conversationItem.count({ where: { day } })).toBe(many + 1);
    const bytes = await store.database.storedBytes.findMany({ where: { accountId, bytes: { not: 0 } } });
    expect(bytes).toEqual([{ accountId, day, bytes: BigInt(many + 1 + 2 * 2) }]);
  });

  it('is gone from the first on, and removed a part of it at a time, the last by itself', async () => {
    await conversations.remove({ accountId, id: 'long' });
    await expect(read('long')).rejects.toMatchObject(notFound);
    expect(await store.database.conversationItem.count()).toBe(many - 10_000);
    await conversations.finishRemovals();
    expect(await store.database.conversationItem.count()).toBe(0);
    expect(await store.database.conversation.count()).toBe(0);
    expect(await storedBytes()).toBe(0);
  });

  describe('whose removal broke off', () => {
    beforeEach(async () => {
      await create('other');
      await add('other', part(0, 'kept'));
      await store.database.conversation.updateMany({ where: { id: 'long' }, data: { touchedAt: new Date(0) } });
      await expect(read('long')).rejects.toMatchObject(notFound);
    });
    afterEach(async () => {
      await expect(conversations.remove({ accountId, id: 'long' })).rejects.toMatchObject(notFound);
      expect(await store.database.conversation.findMany({ select: { id: true } })).toEqual([{ id: 'other' }]);
      expect(await store.database.conversationItem.count()).toBe(1);
      expect(await storedBytes()).toBe(4);
    });

    it('goes when that is asked for again', async () => {
      await conversations.remove({ accountId, id: 'long' });
      await conversations.remove({ accountId, id: 'long' });
    });

    it('goes though nobody asks again', () => conversations.finishRemovals());
  });
});

interface PlanStep {
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanStep[];
}

function mostRows(step: PlanStep | undefined): number {
  if (!step) throw new Error('there is no plan');
  const passed =
    step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0);
  return Math.max(passed, ...(step.Plans ?? []).map(mostRows));
}

async function storedBytes(): Promise<number> {
  const rows = await store.database.storedBytes.findMany({ where: { accountId } });
  return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
}
