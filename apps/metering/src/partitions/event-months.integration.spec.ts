import { UnusableEventsError } from '@tollgate/messaging';
import { recount } from '../reports/recount';
import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
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
});
