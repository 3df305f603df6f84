import { monthStartMs } from '@tollgate/contracts';
import { openWindows } from '../budgets/open-window';
import { quotaRecord, usedTokens } from '../quota/quota-month';
import { makeBudget } from '../testing/make-budget';
import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { metricsReport } from './metrics-report';
import { reportWindow } from './report-window';
import { readSeries } from './series';
import { seriesWindow } from './series-window';
import { readStatement } from './statement';
import { usedDays } from './used-days';

const hourMs = 3_600_000;
const month = '2026-03';
const start = Date.parse('2026-03-01T00:00:00Z');
const end = Date.parse('2026-04-01T00:00:00Z');
/** Its months begin an hour, or five and a half, before those of UTC; summer time ends in the one of them. */
const zones = {
  UTC: [start, end],
  'Europe/Berlin': [start - hourMs, end - 2 * hourMs],
  'Asia/Kolkata': [start - 5.5 * hourMs, end - 5.5 * hourMs],
} as const;

let env: MeteringDatabase;
let accountId: string;
const keyId = 'periods';
/** An event just before, and just after, each bound of the month in each zone. */
const moments = [...new Set(Object.values(zones).flat())].flatMap((bound) => [bound - 1, bound]);
const between = (from: number, to: number) => moments.filter((at) => at >= from && at < to).length;

beforeAll(async () => {
  env = await startMeteringDatabase();
  ({ accountId } = await makeBudget(env.accounts, {}));
  const tried = [{ deployment: 'd', provider: 'openai', status: 200, error: null, latencyMs: 1 }];
  await env.newIngest().ingest(moments.map((endedAt) => makeEvent({ accountId, keyId, endedAt, attempts: tried })));
});
afterAll(() => env?.stop());

/** The window that a budget of a length has at a moment. */
async function budgetWindow(window: string, timeZone: string, atMs: number): Promise<[number, number]> {
  const at = new Date(atMs);
  const [row] = await env.database.$queryRaw<{ from: Date; to: Date }[]>`
    SELECT budget_window_start(${window}, ${timeZone}, now(), ${at}::timestamptz) AS from,
      budget_window_end(${window}, ${timeZone}, ${at}::timestamptz) AS to`;
  return [row?.from.getTime() ?? 0, row?.to.getTime() ?? 0];
}

it.each(moments)('the month of UTC is one for reports, quotas, statements and budgets at %i', async (at) => {
  const bounds = [monthStartMs(at), monthStartMs(at, 1)];
  const name = new Date(at).toISOString().slice(0, 7);
  const statement = await readStatement(env.databases, { accountId, month: name });
  expect([statement.startAt, statement.endAt]).toEqual(bounds);
  expect([reportWindow('month', at, true).start, quotaRecord(0n, null, at).resetsAt]).toEqual(bounds);
  expect(await budgetWindow('month', 'UTC', at)).toEqual(bounds);
});

// Clocks go back over midnight there, and forward over it in Santiago and Beirut.
it.each([
  ['America/Havana', '2026-11-01T04:30:00Z'],
  ['America/Havana', '2026-11-01T05:30:00Z'],
  ['America/Havana', '2026-03-08T05:30:00Z'],
  ['Atlantic/Azores', '2026-10-25T00:30:00Z'],
  ['America/Santiago', '2026-09-06T04:30:00Z'],
  ['America/Santiago', '2026-04-05T03:30:00Z'],
  ['Asia/Beirut', '2026-03-28T22:30:00Z'],
])(
  'each moment is in one window of a budget, also where a midnight comes twice or not: %s at %s',
  async (zone, text) => {
    const at = Date.parse(text);
    for (const window of ['hour', 'day', 'week', 'month']) {
      const [from, to] = await budgetWindow(window, zone, at);
      const whole = { from: from <= at, to: at < to };
      const [, endBefore] = await budgetWindow(window, zone, from - 1);
      const [startAfter] = await budgetWindow(window, zone, to);
      expect([window, whole, endBefore, startAfter]).toEqual([window, { from: true, to: true }, from, to]);
    }
  },
);

it('what was used in a month of UTC is the same in the overview, /api/metrics, statement, export and quota', async () => {
  const used = between(start, end);
  const statement = await readStatement(env.databases, { accountId, month });
  const window = await seriesWindow(env.database, { startAt: start, endAt: end, step: 'day', timeZone: 'UTC' }, 0);
  const series = await readSeries(env.databases.charts, window, { accountId, groupBy: 'none', maxLines: 1 });
  const days = await usedDays(env.database, { accountId, from: `${month}-01`, to: `${month}-31`, limit: 1_000 });
  const metrics = await metricsReport(env.database, { keyId, period: 'month', calendar: true }, end - 1);
  const sums = [
    statement.total.requests,
    series.totals.requests,
    days.days.reduce((sum, { requests }) => sum + requests, 0),
    // It ends before the last millisecond of the month, in which there is an event.
    metrics.totals.requests + 1,
  ];
  expect(sums).toEqual([used, used, used, used]);
  const { inputTokens, outputTokens } = statement.total;
  expect(Number(await usedTokens(env.database, keyId, start))).toBe(inputTokens + outputTokens);
});

it.each(Object.entries(zones))(
  'a month and its days are the same for charts and budgets in %s',
  async (timeZone, bounds) => {
    const [from, to] = bounds;
    for (const at of [from, from + 40 * hourMs, to - 1]) {
      expect(await budgetWindow('month', timeZone, at)).toEqual([from, to]);
    }
    const window = await seriesWindow(env.database, { startAt: from, endAt: to, step: 'day', timeZone }, 0);
    expect([window.bounds[0], window.bounds.at(-1), window.bounds.length]).toEqual([from, to, 32]);
    for (const [index, at] of window.bounds.slice(0, -1).entries()) {
      expect(await budgetWindow('day', timeZone, at)).toEqual([at, window.bounds[index + 1]]);
    }
  },
);

it.each(Object.entries(zones))(
  'what was spent in a month of %s is the same for charts and budgets',
  async (timeZone, bounds) => {
    const [from, to] = bounds;
    const window = await seriesWindow(env.database, { startAt: from, endAt: to, step: 'day', timeZone }, 0);
    const series = await readSeries(env.databases.charts, window, { accountId, groupBy: 'none', maxLines: 1 });
    expect(series.totals.requests).toBe(between(from, to));
    const { id } = await makeBudget(env.accounts, { timeZone, createdAt: new Date(from - 90 * 24 * hourMs) });
    await env.accounts.budget.update({ where: { id }, data: { accountId, name: timeZone } });
    await openWindows(env.database, [{ budgetId: id, at: new Date(from + hourMs) }]);
    const [sum] = await env.database.$queryRaw<{ spent: string }[]>`
    SELECT spent_nano_usd::text AS spent FROM budget_spent WHERE budget_id = ${id}::uuid`;
    expect(sum?.spent).toBe(series.totals.costNanoUsd);
  },
);
