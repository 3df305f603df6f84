import type { UsageEvent } from '@tollgate/contracts';
import { createMeteringDatabase } from '@tollgate/database/metering';
import type { Databases } from '../databases';
import { largestOwners } from '../reports/largest-owners';
import { recount } from '../reports/recount';
import { seriesWindow } from '../reports/series-window';
import { makeEvent } from '../testing/make-event';
import type { MeteringDatabase } from '../testing/metering-database';
import { type BlocksRig, startAt, rigOfEachTest } from './blocks-rig.fixture';
import { cutIntoHours, EndedHours } from './ended-hours';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let rig: BlocksRig;
let env: MeteringDatabase;
rigOfEachTest((made) => {
  rig = made;
  ({ env } = rig);
});

/** What keys used, each that of an account of its own, in nano-dollars. */
function used(keyId: string, endedAt: number, tokens: number): UsageEvent {
  return makeEvent({
    keyId,
    accountId: `account of ${keyId}`,
    endedAt,
    startedAt: endedAt - 10,
    usage: { input: tokens, output: 0 },
  });
}

/** The hours of the first day that count. */
async function hours(): Promise<number[]> {
  const { kept } = await cutIntoHours(env.database, [{ from: startAt, to: startAt + dayMs }]);
  return kept.flatMap(({ at, hours }) => Array.from({ length: hours }, (_, place) => (at - startAt) / hourMs + place));
}

async function largest(
  [from, to]: [from: number, to: number],
  most: number,
  step: 'day' | 'hour' | 'minute' = 'day',
  groupBy: 'key' | 'account' = 'key',
): Promise<string[]> {
  const asked = { startAt: startAt + from * hourMs, endAt: startAt + to * hourMs, step, timeZone: 'UTC' };
  const window = await seriesWindow(env.database, asked, 0);
  const owners = await largestOwners(env.database, window, { groupBy }, most);
  return owners.map(({ name }) => name).toSorted();
}

describe('hours that have ended', () => {
  it('are made seconds after their end, and count as long as none of their usage changes', async () => {
    await env.newIngest().ingest([0, 1, 5].map((hour) => used('key-1', startAt + hour * hourMs, 10)));
    await rig.makeHours(startAt + 6 * hourMs + 10_000);
    expect(await hours()).toEqual([0, 1]);
    await rig.makeHours(startAt + 6 * hourMs + 30_000);
    expect(await hours()).toEqual([0, 1, 5]);
    await env.newIngest().ingest([used('key-2', startAt + 1.5 * hourMs, 10)]);
    expect(await hours()).toEqual([0, 5]);
    await rig.makeHours(startAt + 7 * hourMs);
    expect(await hours()).toEqual([0, 1, 5]);
    await env.database.usageHour.deleteMany({ where: { at: new Date(startAt + 5 * hourMs) } });
    expect(await hours()).toEqual([0, 1]);
    expect((await recount(env.database, null, 0)).differences.filter(({ field }) => field.includes('kept'))).toEqual(
      [],
    );
  });

  it('are made anew after a rest, and are gone after three days', async () => {
    await env.newIngest().ingest([used('key-1', startAt, 10)]);
    const now = { ms: startAt + 2 * hourMs };
    const kept = new EndedHours(env.databases, () => now.ms, 60_000);
    await kept.run();
    await env.newIngest().ingest([used('key-1', startAt, 20)]);
    await kept.run();
    expect(await hours()).toEqual([]);
    await env.database.$executeRaw`UPDATE usage_ended_hours SET made_at = made_at - interval '1 minute'`;
    await kept.run();
    expect(await hours()).toEqual([0]);
    now.ms = startAt + 3 * dayMs + minuteMs;
    await kept.run();
    expect(await env.database.usageEndedHours.count()).toBe(0);
  });

  it('that take too long to be made rest, and keep no others from being made', async () => {
    await env.newIngest().ingest([0, 1].map((hour) => used('key-1', startAt + hour * hourMs, 10)));
    // As one whose rows a slow disk is asked for: longer than a turn.
    const slow = await rig.session();
    await slow.query('BEGIN');
    await slow.query(`INSERT INTO usage_ended_hours VALUES ($1, 1, '', now(), '{}', '{}', '{}', '{}')`, [
      new Date(startAt + hourMs),
    ]);
    const ingest = createMeteringDatabase(env.url, { connections: 1, statementTimeoutMs: 3_000 });
    try {
      const now = { ms: startAt + 3 * hourMs };
      const kept = new EndedHours({ ...env.databases, ingest } as Databases, () => now.ms);
      await kept.run();
      expect(await hours()).toEqual([]);
      await kept.run();
      expect(await hours()).toEqual([0]);
      await slow.query('ROLLBACK');
      await kept.run();
      expect(await hours()).toEqual([0]);
      now.ms += hourMs;
      await kept.run();
      expect(await hours()).toEqual([0, 1]);
    } finally {
      await ingest.$disconnect();
    }
  });

  it('say in a recount where they differ from their rows', async () => {
    await env.newIngest().ingest([used('key-1', startAt, 10), used('key-2', startAt, 20)]);
    await rig.makeHours(startAt + 2 * hourMs);
    expect((await recount(env.database, null, 0)).differences).toEqual([]);
    await env.database.$executeRaw`UPDATE usage_ended_hours SET requests = '{1,2}'`;
    const { differences } = await recount(env.database, null, 0);
    expect(differences).toEqual([
      {
        keyId: expect.any(String),
        model: '',
        field: 'kept hours 2024-09-02T00:00Z 1 requests',
        events: '1',
        rollups: '2',
      },
    ]);
  });
});

describe('the largest of everybody', () => {
  it('are those of the hours and minutes asked for, whatever the days around them have', async () => {
    // Of the first day the window has the last hours: the first has what would make it the largest.
    const events = [
      used('early', startAt + 2 * hourMs, 100_000),
      used('early', startAt + 70 * hourMs, 10),
      used('steady', startAt + 23 * hourMs, 300),
      used('steady', startAt + 50 * hourMs, 300),
      used('small', startAt + 30 * hourMs, 200),
      used('only before', startAt + 3 * hourMs, 5_000),
      used('last', startAt + 71.6 * hourMs, 500),
      used('too late', startAt + 71.8 * hourMs, 10_000),
    ];
    await env.newIngest().ingest(events);
    const asked = async () => [
      await largest([20, 71.7], 2),
      await largest([20, 71.7], 10),
      await largest([20, 71.7], 2, 'hour'),
      await largest([3.5, 71.75], 10, 'hour', 'account'),
      await largest([70, 71.9], 10, 'minute'),
    ];
    const right = [
      ['steady', 'too late'],
      ['early', 'last', 'small', 'steady', 'too late'],
      ['last', 'steady'],
      ['early', 'last', 'small', 'steady'].map((key) => `account of ${key}`),
      ['early', 'last', 'too late'],
    ];
    expect(await asked()).toEqual(right);
    await rig.makeBlocks();
    expect(await asked()).toEqual(right);
    await rig.makeHours(startAt + 73 * hourMs);
    expect(await asked()).toEqual(right);
    await env.database.usageBlock.deleteMany();
    expect(await asked()).toEqual(right);
    await env.newIngest().ingest([used('late', startAt + 50 * hourMs, 100_000)]);
    expect(await largest([20, 71.7], 2)).toEqual(['late', 'too late']);
  });
});
