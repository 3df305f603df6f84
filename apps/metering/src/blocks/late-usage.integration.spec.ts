import type { UsageEvent } from '@tollgate/contracts';
import type { SlicedWindow } from '@tollgate/contracts/metering';
import type { Client } from 'pg';
import { recount } from '../reports/recount';
import { slicedWindowOf } from '../slices/slices-report';
import { makeEvent } from '../testing/make-event';
import type { MeteringDatabase } from '../testing/metering-database';
import { BlocksRig, endAt, startAt } from './blocks-rig.fixture';

const dayMs = 86_400_000;
/** A block of four days that the late usage belongs to. */
const block = { days: 4, startMs: startAt + 20 * dayMs };

/** Each test has an account of its own, with a key, of the same database: an account's blocks are its own. */
interface Owner {
  accountId: string;
  keyId: string;
}
const owners: readonly Owner[] = Array.from({ length: 10 }, (_, index) => {
  return { accountId: `account-${index}`, keyId: `key-${index}` };
});
let left: Owner[] = [];
let accountId: string;
let keyId: string;

let rig: BlocksRig;
let env: MeteringDatabase;
beforeAll(async () => {
  rig = await BlocksRig.start();
  ({ env } = rig);
  await env.newIngest().ingest(owners.map(lateEvent));
  await rig.makeBlocks();
  left = [...owners];
});
afterAll(() => rig.stop());
beforeEach(() => {
  const owner = left.pop();
  if (!owner) throw new Error('There is a test more than there are owners.');
  ({ accountId, keyId } = owner);
});
afterEach(() => rig.endSessions());

function store(): Promise<unknown> {
  return env.newIngest().ingest([lateEvent({ accountId, keyId })]);
}

function lateEvent(owner: Owner): UsageEvent {
  const endedAt = startAt + 20.5 * dayMs;
  return makeEvent({ ...owner, endedAt, attribution: { endUser: 'late' } });
}

function slicesOf(): Promise<SlicedWindow> {
  const asked = { startAt, endAt, accountId, dimension: 'end_user' as const, most: 1_000 };
  return slicedWindowOf(env.database, asked, 0);
}

/** How often the late name was told of, in the slice and in the whole; blocks and rows say the same. */
async function told(): Promise<number> {
  const { slices, totals } = await slicesOf();
  const requests = slices.find(({ name }) => name === 'late')?.requests ?? 0;
  expect(totals.requests).toBe(requests);
  return requests;
}

/** Whether the block counts. */
async function counts(): Promise<boolean> {
  const where = { keyId: '', accountId, days: block.days, at: new Date(block.startMs) };
  const { build } = await env.database.usageBlock.findFirstOrThrow({ where });
  return (await env.database.usageBlockStale.count({ where: { build } })) === 0;
}

/** Counts some more requests in the sums that the block is made of. */
async function count(late: Client, more: number, tables = ['usage_hour', 'usage_slice_day']): Promise<void> {
  for (const table of tables)
    await late.query(`UPDATE ${table} SET requests = requests + $1 WHERE at >= $2 AND at < $3 AND key_id = $4`, [
      more,
      new Date(block.startMs),
      new Date(block.startMs + block.days * dayMs),
      keyId,
    ]);
}

async function differences() {
  return (await recount(env.database, null, 0)).differences;
}

/** Begins to make the block, as another process. */
async function begin(maker?: Client): Promise<string | null> {
  return rig.startBlock(maker ?? (await rig.session()), { ...block, accountId });
}

/** Makes the block as another process does: the sums are there, and nobody sees them until `commit`. */
async function addUp(mark: string | null) {
  const maker = await rig.session();
  await maker.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { rows } = await maker.query<{ done: boolean }>('SELECT finish_usage_block($1) AS done', [mark]);
  return { done: rows[0]?.done, commit: () => maker.query('COMMIT') };
}

describe('late usage of days of which a block is being made', () => {
  it('waits for nothing, and makes the block stale that does not hold it', async () => {
    await store();
    const mark = await begin();
    expect(await told()).toBe(2);
    const sums = await addUp(mark);
    // The maker has not committed: this would wait for it for ever.
    await store();
    expect(await told()).toBe(3);
    await sums.commit();
    expect([sums.done, await counts(), await told()]).toEqual([true, false, 3]);
    await rig.makeBlocks();
    expect([await counts(), await told(), await differences()]).toEqual([true, 3, []]);
  });

  it('is in the block that was begun before it was stored, and added up after', async () => {
    await store();
    const mark = await begin();
    await store();
    await store();
    const sums = await addUp(mark);
    await sums.commit();
    expect([sums.done, await counts(), await told(), await differences()]).toEqual([true, true, 4, []]);
  });

  it('makes the block stale also where it is committed after the block, and where others marked it before', async () => {
    await store();
    const mark = await begin();
    await store();
    const late = await rig.session();
    await late.query('BEGIN');
    await count(late, 1);
    const sums = await addUp(mark);
    await sums.commit();
    expect([sums.done, await counts(), await told()]).toEqual([true, true, 3]);
    await late.query('COMMIT');
    expect([await counts(), await told()]).toEqual([false, 4]);
    // No event was stored for it.
    await count(late, -1);
  });

  it('puts a block off that is begun while it is stored, and does not keep the maker waiting', async () => {
    await store();
    const late = await rig.session();
    await late.query('BEGIN');
    await count(late, 0, ['usage_hour']);
    const maker = await rig.session();
    expect(await begin(maker)).toBeNull();
    await rig.makeBlocks({ restMs: 60_000 });
    expect([await counts(), await told()]).toEqual([false, 2]);
    await late.query('COMMIT');
    expect(await begin(maker)).not.toBeNull();
  });

  it('puts a block off for longer after each try, so that those behind it have their turn', async () => {
    await store();
    for (let tries = 0; tries < 3; tries++) expect(await begin()).not.toBeNull();
    const rested = async (minutes: number) => {
      await env.database.usageBlockStale.updateMany({ data: { since: new Date(Date.now() - minutes * 60_000) } });
      await rig.makeBlocks({ restMs: 60_000 });
      return counts();
    };
    expect([await rested(6), await rested(13)]).toEqual([false, true]);
  });

  it('is not lost with a maker whose moment was before it, where another begins anew and takes its mark away', async () => {
    await store();
    const mark = await begin();
    const maker = await rig.session();
    await maker.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await maker.query('SELECT FROM usage_block');
    await store();
    const again = await begin();
    expect((await maker.query('SELECT finish_usage_block($1) AS done', [mark])).rows).toEqual([{ done: true }]);
    await maker.query('COMMIT');
    expect([await counts(), await told()]).toEqual([false, 3]);
    const sums = await addUp(again);
    await sums.commit();
    expect([sums.done, await counts(), await told(), await differences()]).toEqual([true, true, 3, []]);
  });

  it('is not lost with a maker whose moment was before it, where another makes the block meanwhile', async () => {
    await store();
    const mark = await begin();
    const maker = await rig.session();
    await maker.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await maker.query('SELECT FROM usage_block');
    await store();
    await rig.makeBlocks();
    await expect(maker.query('SELECT finish_usage_block($1)', [mark])).rejects.toMatchObject({ code: '40001' });
    await maker.query('ROLLBACK');
    expect([await counts(), await told(), await differences()]).toEqual([true, 3, []]);
  });

  it('is not lost with a maker that comes back after another has made the block', async () => {
    await store();
    const mark = await begin();
    await rig.makeBlocks();
    expect(await counts()).toBe(true);
    await store();
    // Marked already, so that what comes now leaves no mark of its own.
    const late = await rig.session();
    await late.query('BEGIN');
    await count(late, 0, ['usage_hour']);
    expect(await begin()).toBeNull();
    const sums = await addUp(mark);
    await sums.commit();
    await late.query('COMMIT');
    expect([sums.done, await counts(), await told()]).toEqual([false, false, 3]);
  });
});

describe('a block that another makes', () => {
  it('is left to it, by who would begin and by who would add it up', async () => {
    await store();
    const mark = await begin();
    const again = await begin();
    const sums = await addUp(mark);
    expect(await begin()).toBeNull();
    expect((await addUp(again)).done).toBe(false);
    await sums.commit();
    expect(await begin()).toBeNull();
    expect([await counts(), await told(), await differences()]).toEqual([true, 2, []]);
  });

  it('is made by an older release as before, beside one that is begun', async () => {
    await store();
    const mark = await begin();
    const older = await rig.session();
    await older.query(`SELECT make_usage_block($1, '', $2, $3)`, [accountId, block.days, new Date(block.startMs)]);
    expect([await counts(), await told(), (await addUp(mark)).done]).toEqual([true, 2, false]);
    await rig.makeBlocks();
    expect([await told(), await differences()]).toEqual([2, []]);
  });
});
