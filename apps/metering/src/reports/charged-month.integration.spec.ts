import { noUsage, type TokenUsage, type UsageEvent } from '@tollgate/contracts';
import { Registry } from 'prom-client';
import { Invoices } from '../invoices/invoices';
import { RatedDays } from '../invoices/rated-days';
import { MeteringMetrics } from '../metering-metrics';
import { LatePricing } from '../rating/late-pricing';
import { CurrentPrices } from '../rating/price-book';
import { makeEvent } from '../testing/make-event';
import { addPrice, startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { readStatement } from './statement';
import { usedDays } from './used-days';

/** Last month is over, whenever this runs. */
const month = new Date(Date.parse(`${new Date().toISOString().slice(0, 7)}-01`) - 1).toISOString().slice(0, 7);
const startAt = Date.parse(`${month}-01T00:00:00Z`);
/** Every month has as many: so the events are the same ones, whichever month was the last. */
const days = 28;
const dayMs = 86_400_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const accounts = ['ada', 'bob', 'cat'];

const sheets = {
  'test/steps': {
    ...{ input: '1.234567', cachedInput: '0.1', output: '7.654321', perRequest: '0.0001' },
    longContext: [
      { aboveInputTokens: 1_000, input: '2.5', output: '11.111111' },
      { aboveInputTokens: 2_000, input: '5.000001', cachedInput: '0.7', output: '22.2' },
    ],
  },
  'test/tools': { input: '3', output: '15', terms: { units: { webSearch: '0.01', second: '0.0004' } } },
  'test/late': { input: '0.333333', output: '0.777777' },
};
const factors = [{}, { discount: '0.15' }, { markup: '0.2' }, { discount: '0.333333', markup: '0.077777' }];

/** The same numbers in each run. */
let state = 20_261_201;
const random = (below: number): number => (state = (state * 16_807) % 2_147_483_647) % below;

/** A use of a kind: how much, and pico-dollars for each. */
type Use = [kind: string, quantity: number, picos: bigint];

/** What is used of each kind at which rate, written down by hand, for each model apart. */
function usesOf({ model, usage: { input, output, cachedInput, served } }: UsageEvent): Use[] {
  const listed: Use[] = [];
  if (model === 'test/late') listed.push(['input', input, 333_333n], ['output', output, 777_777n]);
  if (model === 'test/tools')
    listed.push(
      ['input', input, 3_000_000n],
      ['output', output, 15_000_000n],
      ['webSearch', served?.units?.webSearch ?? 0, 10_000_000_000n],
      ['second', served?.units?.second ?? 0, 400_000_000n],
    );
  if (model === 'test/steps') {
    const [plain, cached, made] =
      input > 2_000
        ? [5_000_001n, 700_000n, 22_200_000n]
        : input > 1_000
          ? [2_500_000n, 2_500_000n, 11_111_111n]
          : [1_234_567n, 100_000n, 7_654_321n];
    listed.push(['cachedInput', cachedInput, cached], ['input', input - cachedInput, plain]);
    listed.push(['output', output, made], ['request', 1, 100_000_000n]);
  }
  return listed.filter(([, quantity]) => quantity > 0);
}

const millionths = (fraction = '0') => BigInt(Math.round(Number(fraction) * 1e6));
const halfUp = (value: bigint, by: bigint) => (value + by / 2n) / by;
const part = (of: bigint, fraction?: string) => halfUp(of * millionths(fraction), 1_000_000n);

function nanosOf(event: UsageEvent): bigint {
  const { discount, markup } = event.usage.served ?? {};
  const listed = usesOf(event).reduce((sum, [, quantity, picos]) => sum + BigInt(quantity) * picos, 0n);
  const left = listed - part(listed, discount);
  return halfUp(left + part(left, markup), 1_000n);
}

function anEvent(at: number): UsageEvent {
  const model = Object.keys(sheets)[random(3)] ?? '';
  const input = [999, 1_000, 1_001, 2_000, 2_001, 3 + random(5_000)][random(6)] ?? 0;
  const served: TokenUsage['served'] = {
    ...factors[random(factors.length)],
    ...(model === 'test/tools' && { units: { webSearch: random(4), second: 1 + random(90) } }),
  };
  const account = accounts[random(accounts.length)] ?? '';
  return makeEvent({
    ...{ accountId: account, keyId: `${account} ${random(2)}`, model, endedAt: at },
    attempts: [{ deployment: `${model}@acme`, provider: 'acme', status: 200, error: null, latencyMs: 1 }],
    usage: { ...noUsage, input, output: 1 + random(3_000), cachedInput: random(input), served },
  });
}

const sum = (values: readonly (bigint | string)[]) =>
  values.reduce<bigint>((total, each) => total + BigInt(each), 0n).toString();

describe('a month with steps for long inputs, fees of tools, discounts, mark-ups and a price that came late', () => {
  const events = Array.from({ length: days * 24 }, (_, hour) =>
    anEvent(startAt + hour * 3_600_000 + random(3_600_000)),
  );
  let env: MeteringDatabase;

  beforeAll(async () => {
    env = await startMeteringDatabase();
    await addPrice(env.catalog, 'test/steps', sheets['test/steps']);
    await addPrice(env.catalog, 'test/tools', sheets['test/tools']);
    await env.newIngest().ingest(events);
  });
  afterAll(() => env.stop());

  const stored = () => env.database.usageEvent.findMany({ where: { accountId: { in: accounts } } });
  const statementOf = (accountId: string) => readStatement(env.databases, { accountId, month });
  const exported = async (accountId: string) => {
    const asked = { from: `${month}-01`, to: `${month}-${days}`, limit: 10_000, accountId };
    const page = await usedDays(env.database, asked);
    expect(page.next).toBeNull();
    return page.days;
  };

  /** Statement and export are together what the events are, by account. */
  async function expectSums(isDue: (event: UsageEvent) => boolean): Promise<void> {
    const rows = await stored();
    for (const accountId of accounts) {
      const own = events.filter((event) => event.accountId === accountId);
      const due = sum(own.filter(isDue).map(nanosOf));
      const inLedger = rows.filter((row) => row.accountId === accountId).map(({ costNanoUsd }) => costNanoUsd ?? 0n);
      const { total, lines } = await statementOf(accountId);
      const unpriced = own.filter((event) => !isDue(event)).length;
      expect(total).toMatchObject({ requests: own.length, unpricedRequests: unpriced, costNanoUsd: due });
      expect([sum(inLedger), sum(lines.map(({ costNanoUsd }) => costNanoUsd))]).toEqual([due, due]);
      expect(sum((await exported(accountId)).map(({ costNanoUsd }) => costNanoUsd))).toBe(due);
    }
  }

  it('is made of the same requests in each run, whichever month it is', () => {
    expect([events.length, sum(events.map(nanosOf))]).toEqual([672, '17996209295']);
  });

  it('charges each request by its own rates, to the nano-dollar, and statement and export are their sums', async () => {
    const costs = new Map((await stored()).map(({ id, costNanoUsd }) => [id, costNanoUsd]));
    for (const event of events)
      expect([event.id, costs.get(event.id)]).toEqual([event.id, event.model === 'test/late' ? null : nanosOf(event)]);
    await expectSums(({ model }) => model !== 'test/late');
  });

  it('has the late price in the same days, and then the bill of the provider differs from it by nothing', async () => {
    await addPrice(env.catalog, 'test/late', sheets['test/late']);
    expect(await new LatePricing(env.databases).run()).toBe(events.filter(({ model }) => model === 'test/late').length);
    await expectSums(() => true);
    const invoices = new Invoices(env.databases);
    for (let at = startAt; at < startAt + days * dayMs; at += dayMs) {
      const billed = new Map<string, { model: string; kind: string; picos: bigint; quantity: number }>();
      for (const event of events.filter(({ endedAt }) => dayOf(endedAt) === dayOf(at)))
        for (const [kind, quantity, picos] of usesOf(event)) {
          const gross = BigInt(quantity) * picos;
          const name = `${event.model} ${kind}`;
          const line = billed.get(name) ?? { model: event.model, kind, picos: 0n, quantity: 0 };
          billed.set(name, line);
          line.picos += gross - part(gross, event.usage.served?.discount);
          line.quantity += quantity;
        }
      const lines = [...billed.values()].map(({ picos, ...each }) => ({
        ...each,
        picoUsd: `${picos}`,
        requestId: null,
      }));
      const bill = { provider: 'acme', day: dayOf(at), source: 'acme.csv', add: false, reading: null, problem: null };
      await invoices.store({ ...bill, minutes: [], lines });
    }
    await new RatedDays(
      env.databases,
      new CurrentPrices(env.databases),
      invoices,
      new MeteringMetrics(new Registry()),
    ).run();
    const { lines, bills } = await invoices.drift(`${month}-01`, `${month}-${days}`, 'acme');
    expect(bills.filter(({ ratedAt }) => ratedAt === null)).toEqual([]);
    expect(lines.length).toBeGreaterThan(days * 5);
    // What was read from a cache is rounded by itself, and in one line of a bill that does not tell it apart.
    expect(lines.filter(({ driftPicoUsd }) => Math.abs(Number(driftPicoUsd)) >= 1_000)).toEqual([]);
  });
});
