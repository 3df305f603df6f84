import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { countTime, percentiles } from './histogram';
import { readSeries } from './series';
import { seriesWindow } from './series-window';

const startAt = Date.UTC(2026, 9, 20);
const endAt = startAt + 86_400_000;
/** Some like those before, some of other buckets below and above, some of the last one. */
const latencies = {
  alike: [200, 210, 250],
  'alike again': [220],
  slower: [240, 90_000],
  faster: [3, 200],
  slowest: [4_000_000, 9_000_000],
  'as the first': [205],
};

describe('charts of keys whose times are in other buckets than those of charts before', () => {
  let env: MeteringDatabase;
  beforeAll(async () => {
    env = await startMeteringDatabase();
    const events = Object.entries(latencies).flatMap(([keyId, ofKey]) =>
      ofKey.map((latencyMs, index) => {
        const endedAt = startAt + 10_000_000 + index * 5_000_000;
        const startedAt = endedAt - latencyMs;
        return makeEvent({ keyId, endedAt, startedAt, firstTokenAt: startedAt + Math.ceil(latencyMs / 2) });
      }),
    );
    await env.newIngest().ingest(events);
  });
  afterAll(() => env?.stop());

  it.each(Object.entries(latencies))('has all times of a key whose times are %s', async (keyId, ofKey) => {
    for (const [step, lengthMs] of [['day', endAt - startAt] as const, ['hour', 3 * 3_600_000] as const]) {
      const window = await seriesWindow(env.database, { startAt, endAt: startAt + lengthMs, step, timeZone: 'UTC' }, 0);
      const { totals } = await readSeries(env.databases.charts, window, {
        groupBy: 'key',
        maxLines: 20,
        keyIds: [keyId],
      });
      const counted = step === 'day' ? ofKey : ofKey.slice(0, 1);
      expect(totals.requests).toBe(counted.length);
      expect(totals.latency).toEqual(percentilesOf(counted));
      expect(totals.firstToken).toEqual(percentilesOf(counted.map((ms) => Math.ceil(ms / 2))));
    }
  });
});

function percentilesOf(times: readonly number[]): object {
  const counts: number[] = [];
  for (const ms of times) countTime(counts, ms);
  const [p50, p90, p99] = percentiles(counts, [0.5, 0.9, 0.99]) ?? [];
  return { p50, p90, p99 };
}
