import type { UsageEvent } from '@tollgate/contracts';
import { readSeries } from '../reports/series';
import { seriesWindow } from '../reports/series-window';
import { makeEvent } from '../testing/make-event';
import type { MeteringDatabase } from '../testing/metering-database';
import { BlocksRig, endAt, startAt } from './blocks-rig.fixture';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let rig: BlocksRig;
let env: MeteringDatabase;
beforeEach(async () => {
  rig = await BlocksRig.start();
  ({ env } = rig);
});
afterEach(() => rig.stop());

/** The charts of everybody by key, in days of time zones that begin within hours and within days. */
function charts(minutesSince: number) {
  return Promise.all(
    ['America/Los_Angeles', 'Asia/Kolkata', 'Asia/Kathmandu'].flatMap((timeZone) =>
      [2, 20].map(async (maxLines) => {
        const asked = { startAt: startAt - 2.4 * dayMs, endAt: endAt + hourMs / 3, step: 'day' as const, timeZone };
        return readSeries(env.database, await seriesWindow(env.database, asked, minutesSince), {
          groupBy: 'key',
          maxLines,
        });
      }),
    ),
  );
}

/** When a key goes from one account to another. */
const moves = startAt + 21.3 * dayMs;

/** Of keys of two accounts; the third moves from one to the other, and the fourth's account used little. */
function events(count: number): UsageEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const endedAt = startAt - 2 * dayMs + ((index * 7_919_017) % (66 * dayMs));
    const key = index % 41 === 0 ? 3 : index % 3;
    const accounts = ['account-1', 'account-2', endedAt < moves ? 'account-1' : 'account-2', 'account-3'];
    return makeEvent({
      keyId: `key-${key}`,
      accountId: accounts[key] ?? '',
      endedAt,
      model: index % 6 ? 'test/priced' : 'test/unpriced',
      usage: { input: 1_000 + index * 37, output: index * 11 },
    });
  });
}

describe('charts of everybody by key in days of any time zone', () => {
  it.each([
    ['where rows by minute are kept of all of it', 0],
    ['where they are kept of the last half', startAt + 30 * dayMs],
  ])('tell with blocks of accounts what the rows tell, %s', async (_, minutesSince) => {
    await env.newIngest().ingest(events(1_200));
    const before = await charts(minutesSince);
    expect(before[1]?.lines.map(({ name }) => name).toSorted()).toEqual(['key-0', 'key-1', 'key-2', 'key-3']);
    await rig.makeBlocks({ few: 4 });
    expect(await env.database.usageBlock.count({ where: { accountId: 'account-3', days: 1 } })).toBe(0);
    expect(await charts(minutesSince)).toEqual(before);
    for (const accountId of ['account-1', '']) {
      await env.database.$executeRaw`
        DELETE FROM usage_block_points AS points USING usage_block AS block
        WHERE points.build = block.build AND days = 1 AND account_id = ${accountId} AND at < ${new Date(moves)}`;
      expect(await charts(minutesSince)).toEqual(before);
    }
    await env.newIngest().ingest([makeEvent({ keyId: 'key-0', accountId: 'account-1', endedAt: moves + hourMs })]);
    const late = await charts(minutesSince);
    expect(late[1]?.totals.requests).toBe((before[1]?.totals.requests ?? 0) + 1);
    await rig.makeBlocks({ few: 4 });
    expect(await charts(minutesSince)).toEqual(late);
  });
});
