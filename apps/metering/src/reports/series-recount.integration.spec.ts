import { createHash } from 'node:crypto';
import { uuidv7 } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import type { SeriesCounters } from '@tollgate/contracts/metering';
import { BlocksRig, endAt, startAt } from '../blocks/blocks-rig.fixture';
import { entry, providerOf } from '../ingest/fold-rows';
import { makeEvent } from '../testing/make-event';
import { countTime, percentiles } from './histogram';
import { readSeries } from './series';
import type { SeriesQuestion } from './series';
import { seriesWindow } from './series-window';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const states = ['completed', 'completed', 'completed', 'failed', 'cancelled'] as const;

/** A number from 0 up to, not including, `count`; the same each time. */
function draw(index: number, of: number, count: number): number {
  const drawn = createHash('sha256').update(`${index} ${of}`).digest().readUInt32BE();
  return Math.floor((drawn / 2 ** 32) * count);
}

/** Of four keys of two accounts, at all times around 64 days, half of them near a midnight of UTC. */
function eventsFrom(first: number, count: number): UsageEvent[] {
  return Array.from({ length: count }, (_, place) => {
    const index = first + place;
    const any = startAt - 2 * dayMs + draw(index, 1, 68 * dayMs);
    const near = any - (any % dayMs) + draw(index, 2, 14 * hourMs) - 7 * hourMs;
    const endedAt = draw(index, 3, 2) === 0 ? any : near;
    const key = draw(index, 4, 4);
    const tookMs = 1 + draw(index, 5, 10 ** (1 + draw(index, 6, 5)));
    const provider = `provider-${draw(index, 7, 2)}`;
    return makeEvent({
      id: uuidv7(endedAt - tookMs),
      keyId: `key-${key}`,
      accountId: `account-${key % 2}`,
      model: `model-${draw(index, 8, 3)}`,
      state: states[draw(index, 9, states.length)],
      attempts: [{ deployment: 'd', provider, status: 200, error: null, latencyMs: 1 }],
      startedAt: endedAt - tookMs,
      firstTokenAt: draw(index, 10, 3) === 0 ? endedAt - draw(index, 11, tookMs) : null,
      endedAt,
      usage: { input: draw(index, 12, 10_000), output: draw(index, 13, 5_000), cachedInput: 0 },
    });
  });
}

type Recounted = Pick<
  SeriesCounters,
  'requests' | 'failed' | 'cancelled' | 'inputTokens' | 'outputTokens' | 'latency' | 'firstToken'
>;

/** The day of a time, as a calendar in the time zone has it. */
function dayIn(timeZone: string, at: number): string {
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-CA', { timeZone, ...day }).format(at);
}

/** From the events alone. */
function recounted(events: readonly UsageEvent[]): Recounted {
  const [latency, first]: [number[], number[]] = [[], []];
  for (const { state, startedAt, firstTokenAt, endedAt } of events) {
    if (state === 'completed') countTime(latency, endedAt - startedAt);
    if (firstTokenAt !== null) countTime(first, firstTokenAt - startedAt);
  }
  const sum = (of: (event: UsageEvent) => number) => events.reduce((whole, event) => whole + of(event), 0);
  return {
    requests: events.length,
    failed: sum(({ state }) => (state === 'failed' ? 1 : 0)),
    cancelled: sum(({ state }) => (state === 'cancelled' ? 1 : 0)),
    inputTokens: sum(({ usage }) => usage.input),
    outputTokens: sum(({ usage }) => usage.output),
    latency: told(latency),
    firstToken: told(first),
  };
}

function told(histogram: number[]): Recounted['latency'] {
  const [p50, p90, p99] = percentiles(histogram, [0.5, 0.9, 0.99]) ?? [];
  return p50 === undefined || p90 === undefined || p99 === undefined ? null : { p50, p90, p99 };
}

function only({ requests, failed, cancelled, inputTokens, outputTokens, latency, firstToken }: Recounted): Recounted {
  return { requests, failed, cancelled, inputTokens, outputTokens, latency, firstToken };
}

const nameOf: Record<SeriesQuestion['groupBy'], (event: UsageEvent) => string> = {
  none: () => 'all',
  model: ({ model }) => model,
  provider: providerOf,
  key: ({ keyId }) => keyId,
  account: ({ accountId }) => accountId,
};

type Asked = Omit<SeriesQuestion, 'maxLines'>;

function isOf({ keyIds, accountId, model, provider }: Asked, event: UsageEvent): boolean {
  return (
    (keyIds === undefined || keyIds.includes(event.keyId)) &&
    (accountId === undefined || event.accountId === accountId) &&
    (model === undefined || event.model === model) &&
    (provider === undefined || providerOf(event) === provider)
  );
}

function grouped(events: readonly UsageEvent[], nameOf: (event: UsageEvent) => string): Map<string, UsageEvent[]> {
  const groups = new Map<string, UsageEvent[]>();
  for (const event of events) entry(groups, nameOf(event), () => []).push(event);
  return groups;
}

/** Each line by its name, and each of its days. */
function expectedOf(events: readonly UsageEvent[], timeZone: string, asked: Asked) {
  const lines = grouped(
    events.filter((event) => isOf(asked, event)),
    nameOf[asked.groupBy],
  );
  return [...lines].toSorted(byName).map(([name, those]) => {
    const days = grouped(those, ({ endedAt }) => dayIn(timeZone, endedAt));
    return [name, [...days].toSorted(byName).map(([day, some]) => [day, recounted(some)] as const)] as const;
  });
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

const accountId = 'account-0';
const keyIds = ['key-0', 'key-2'];
const model = 'model-1';
const provider = 'provider-0';
const questions: readonly Asked[] = [
  { accountId, groupBy: 'key' },
  { accountId, groupBy: 'key', model },
  { accountId, groupBy: 'key', provider },
  { accountId, groupBy: 'key', model, provider },
  { accountId, groupBy: 'model' },
  { accountId, groupBy: 'account', model },
  { accountId, keyIds, groupBy: 'model' },
  { accountId, keyIds: ['key-2'], groupBy: 'provider' },
  { accountId, keyIds, groupBy: 'none', model },
  { accountId, keyIds, groupBy: 'key', provider },
  { accountId, keyIds, groupBy: 'account', model },
  { keyIds: ['key-1', 'key-2'], groupBy: 'model' },
  { groupBy: 'account', model },
  { groupBy: 'account', provider },
  { groupBy: 'key', model },
  { groupBy: 'key' },
  { groupBy: 'account' },
  { groupBy: 'provider', model },
];

/** Of whole days, and within them. The second begins and ends at minutes of hours. */
const windows = [
  [startAt - dayMs, endAt + dayMs],
  [startAt + 1.4 * dayMs + 7 * minuteMs, startAt + 40.7 * dayMs + 11 * minuteMs],
  [startAt + 3 * dayMs + hourMs, startAt + 4 * dayMs + 9 * hourMs],
] as const;

let rig: BlocksRig;
beforeEach(async () => {
  rig = await BlocksRig.start();
});
afterEach(() => rig.stop());

async function expectRecounted(all: readonly UsageEvent[], timeZone: string): Promise<void> {
  for (const [from, to] of windows) {
    const window = await seriesWindow(rig.env.database, { startAt: from, endAt: to, step: 'day', timeZone }, 0);
    const within = all.filter(({ endedAt }) => endedAt >= window.from && endedAt < window.to);
    for (const asked of questions) {
      const { lines, totals } = await readSeries(rig.env.databases.charts, window, { ...asked, maxLines: 20 });
      const read = lines.map(({ name, points }) => {
        return [name, points.map((point) => [dayIn(timeZone, point.at), only(point)] as const)] as const;
      });
      const expected = expectedOf(within, timeZone, asked);
      expect([asked, from, read.toSorted(byName)]).toEqual([asked, from, expected]);
      expect([asked, from, only(totals)]).toEqual([
        asked,
        from,
        recounted(within.filter((event) => isOf(asked, event))),
      ]);
    }
  }
}

// The 64 days have an end of summer time, in Lord Howe its beginning, by half an hour.
it.each(['Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe'])(
  'charts of days in %s say what a count of the events says, whatever blocks have of them',
  async (timeZone) => {
    const first = eventsFrom(0, 900);
    await rig.env.newIngest().ingest(first);
    await rig.makeBlocks();
    await expectRecounted(first, timeZone);
    // What comes late makes some days stale, which are read from their rows.
    const late = eventsFrom(900, 30);
    await rig.env.newIngest().ingest(late);
    await expectRecounted([...first, ...late], timeZone);
  },
);
