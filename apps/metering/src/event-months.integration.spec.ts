import { UnusableEventsError } from '@tollgate/messaging';
import { recount } from './reports/recount';
import { makeEvent } from './testing/make-event';
import { startMeteringDatabase } from './testing/metering-database';
import type { MeteringDatabase } from './testing/metering-database';
import { EventMonths } from './event-months';

describe('EventMonths', () => {
  let env: MeteringDatabase;
  beforeAll(async () => (env = await startMeteringDatabase()));
  afterAll(() => env.stop());

  const partitionsOf = async (keyId: string) => {
    const rows = await env.database.$queryRaw<{ name: string }[]>`
      SELECT tableoid::regclass::text AS name FROM usage_event WHERE key_id = ${keyId} ORDER BY born_at`;
    return rows.map(({ name }) => name);
  };

  it('make partitions ahead, take over what came before, and drop what need not be kept', async () => {
    const ingest = env.newIngest();
    const moments = [Date.UTC(2040, 0, 31, 23, 59, 59), Date.UTC(2040, 1, 29, 12), Date.UTC(2040, 3, 1)];
    const events = moments.map((endedAt) => makeEvent({ keyId: 'months', endedAt }));
    await ingest.ingest(events);
    expect(new Set(await partitionsOf('months'))).toEqual(new Set(['usage_event_default']));

    const everything = new EventMonths(env.databases, { retentionMonths: null }, () => Date.UTC(2040, 1, 10));
    await Promise.all([everything.maintain(), everything.maintain()]);
    const names = ['usage_event_2040_01', 'usage_event_2040_02', 'usage_event_2040_03'];
    // The last began a tenth of a second before April.
    expect(await partitionsOf('months')).toEqual(names);
    await ingest.ingest(events);
    expect(await partitionsOf('months')).toHaveLength(3);

    const some = new EventMonths(env.databases, { retentionMonths: 2 }, () => Date.UTC(2040, 3, 5));
    expect(await some.maintain()).toContain('usage_event_2040_01');
    expect(await partitionsOf('months')).toEqual(names.slice(1));
    const strict = env.newIngest(2, () => Date.UTC(2040, 3, 5));
    await expect(strict.ingest(events)).rejects.toThrow(UnusableEventsError);
    expect(await recount(env.database, 'months', some.completeSinceMs())).toMatchObject({ events: 2, differences: [] });
  });

  it('forget names with the events that said them, and sums by hour that came after their month went', async () => {
    const now = () => Date.UTC(2041, 5, 5);
    const months = Array.from({ length: 5 }, (_, month) => Date.UTC(2041, month + 1, 3, 12));
    const attribution = { endUser: 'ann', session: 's-1', agent: 'codex', tags: ['prod'] };
    const events = months.map((endedAt) => makeEvent({ keyId: 'names', endedAt, attribution }));
    await env.newIngest(null, now).ingest(events);
    const monthsIn = async (table: 'usageSliceHour' | 'usageSliceDay' | 'usageSliceNames') => {
      const { findMany } = env.database[table] as typeof env.database.usageSliceDay;
      const rows = await findMany({ where: { keyId: 'names' }, select: { at: true }, orderBy: { at: 'asc' } });
      return [...new Set(rows.map(({ at }) => at.getUTCMonth()))];
    };
    const everything = new EventMonths(env.databases, { retentionMonths: null }, now);
    await everything.maintain();
    expect(await monthsIn('usageSliceHour')).toEqual([2, 3, 4, 5]);
    expect(await monthsIn('usageSliceDay')).toEqual([1, 2, 3, 4, 5]);
    expect((await recount(env.database, 'names', 0, everything.minutesSinceMs())).differences).toEqual([]);

    const some = new EventMonths(env.databases, { retentionMonths: 2 }, now);
    await some.maintain();
    for (const table of ['usageSliceHour', 'usageSliceDay', 'usageSliceNames'] as const)
      expect([table, await monthsIn(table)]).toEqual([table, [3, 4, 5]]);
    const left = await recount(env.database, 'names', some.completeSinceMs(), some.minutesSinceMs());
    expect(left).toMatchObject({ events: 3, differences: [] });
  });
});
