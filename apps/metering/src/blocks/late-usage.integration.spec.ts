import type { SlicedWindow, UsageEvent } from '@tollgate/contracts';
import { recount } from '../reports/recount';
import { slicedWindowOf } from '../slices/slices-report';
import { makeEvent } from '../testing/make-event';
import type { MeteringDatabase } from '../testing/metering-database';
import { BlocksRig, endAt, startAt } from './blocks-rig.fixture';

const dayMs = 86_400_000;
/** A block of four days that the late usage belongs to. */
const block = { days: 4, startMs: startAt + 20 * dayMs };

let rig: BlocksRig;
let env: MeteringDatabase;
beforeEach(async () => {
  rig = await BlocksRig.start();
  ({ env } = rig);
  await store();
  await rig.makeBlocks();
});
afterEach(() => rig.stop());

function store(): Promise<unknown> {
  return env.newIngest().ingest([lateEvent()]);
}

function lateEvent(): UsageEvent {
  const endedAt = startAt + 20.5 * dayMs;
  return makeEvent({ keyId: 'key-1', accountId: 'account-1', endedAt, attribution: { endUser: 'late' } });
}

function slicesOf(): Promise<SlicedWindow> {
  const asked = { startAt, endAt, accountId: 'account-1', dimension: 'end_user' as const, most: 1_000 };
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
  const where = { keyId: '', accountId: 'account-1', days: block.days, at: new Date(block.startMs) };
  const { build } = await env.database.usageBlock.findFirstOrThrow({ where });
  return (await env.database.usageBlockStale.count({ where: { build } })) === 0;
}

async function differences() {
  return (await recount(env.database, null, 0)).differences;
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
    const mark = await rig.startBlock(await rig.session(), block);
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
    const mark = await rig.startBlock(await rig.session(), block);
    await store();
    await store();
    const sums = await addUp(mark);
    await sums.commit();
    expect([sums.done, await counts(), await told(), await differences()]).toEqual([true, true, 4, []]);
  });

  it('makes the block stale also where it is committed after the block, and where others marked it before', async () => {
    await store();
    const mark = await rig.startBlock(await rig.session(), block);
    await store();
    const late = await rig.session();
    await late.query('BEGIN');
    for (const table of ['usage_hour', 'usage_slice_day'])
      await late.query(`UPDATE ${table} SET requests = requests + 1 WHERE at >= $1 AND at < $2`, [
        new Date(block.startMs),
        new Date(block.startMs + 4 * dayMs),
      ]);
    const sums = await addUp(mark);
    await sums.commit();
    expect([sums.done, await counts(), await told()]).toEqual([true, true, 3]);
    await late.query('COMMIT');
    expect([await counts(), await told()]).toEqual([false, 4]);
  });

  it('puts a block off that is begun while it is stored, and does not keep the maker waiting', async () => {
    await store();
    const late = await rig.session();
    await late.query('BEGIN');
    await late.query(`UPDATE usage_hour SET requests = requests WHERE key_id = 'key-1'`);
    const maker = await rig.session();
    expect(await rig.startBlock(maker, block)).toBeNull();
    await rig.makeBlocks({ restMs: 60_000 });
    expect([await counts(), await told()]).toEqual([false, 2]);
    await late.query('COMMIT');
    expect(await rig.startBlock(maker, block)).not.toBeNull();
  });

  it('is not lost with a maker whose moment was before it, where another begins anew and takes its mark away', async () => {
    await store();
    const mark = await rig.startBlock(await rig.session(), block);
    const maker = await rig.session();
    await maker.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await maker.query('SELECT FROM usage_block');
    await store();
    const again = await rig.startBlock(await rig.session(), block);
    expect((await maker.query('SELECT finish_usage_block($1) AS done', [mark])).rows).toEqual([{ done: true }]);
    await maker.query('COMMIT');
    expect([await counts(), await told()]).toEqual([false, 3]);
    const sums = await addUp(again);
    await sums.commit();
    expect([sums.done, await counts(), await told(), await differences()]).toEqual([true, true, 3, []]);
  });

  it('is not lost with a maker whose moment was before it, where another makes the block meanwhile', async () => {
    await store();
    const mark = await rig.startBlock(await rig.session(), block);
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
    const mark = await rig.startBlock(await rig.session(), block);
    await rig.makeBlocks();
    expect(await counts()).toBe(true);
    await store();
    // Marked already, so that what comes now leaves no mark of its own.
    const late = await rig.session();
    await late.query('BEGIN');
    await late.query(`UPDATE usage_hour SET requests = requests WHERE key_id = 'key-1'`);
    expect(await rig.startBlock(await rig.session(), block)).toBeNull();
    const sums = await addUp(mark);
    await sums.commit();
    await late.query('COMMIT');
    expect([sums.done, await counts(), await told()]).toEqual([false, false, 3]);
  });
});

describe('a block that another makes', () => {
  it('is left to it, by who would begin and by who would add it up', async () => {
    await store();
    const mark = await rig.startBlock(await rig.session(), block);
    const again = await rig.startBlock(await rig.session(), block);
    const sums = await addUp(mark);
    expect(await rig.startBlock(await rig.session(), block)).toBeNull();
    expect((await addUp(again)).done).toBe(false);
    await sums.commit();
    expect(await rig.startBlock(await rig.session(), block)).toBeNull();
    expect([await counts(), await told(), await differences()]).toEqual([true, 2, []]);
  });

  it('is made by an older release as before, beside one that is begun', async () => {
    await store();
    const mark = await rig.startBlock(await rig.session(), block);
    const older = await rig.session();
    await older.query(`SELECT make_usage_block('account-1', '', $1, $2)`, [block.days, new Date(block.startMs)]);
    expect([await counts(), await told(), (await addUp(mark)).done]).toEqual([true, 2, false]);
    await rig.makeBlocks();
    expect([await told(), await differences()]).toEqual([2, []]);
  });
});
