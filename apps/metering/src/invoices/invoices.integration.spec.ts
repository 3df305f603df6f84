import type { Attempt } from '@tollgate/contracts';
import type { BilledLine, KeptAnswer } from '@tollgate/contracts/metering';
import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { MeteringMetrics } from '../metering-metrics';
import { CurrentPrices } from '../rating/price-book';
import { makeEvent } from '../testing/make-event';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { DriftRequests } from './drift-requests';
import { dayMs, startOf } from './events-of-day';
import { dayOf, Invoices } from './invoices';
import { KeptAnswers } from './kept-answers';
import { RatedDays } from './rated-days';

const model = 'test/priced';
/** The clock stands still: midnight may pass meanwhile. */
const now = Date.now();
const yesterday = dayOf(now - dayMs);
const line = (changes: Partial<BilledLine>): BilledLine => ({
  model,
  kind: 'input',
  picoUsd: '0',
  quantity: null,
  requestId: null,
  ...changes,
});

describe('invoices', () => {
  let env: MeteringDatabase;
  let invoices: Invoices;
  let rated: RatedDays;
  let behind: DriftRequests;
  let registry: Registry;

  beforeAll(async () => {
    env = await startMeteringDatabase();
    const prices = new CurrentPrices(env.databases);
    registry = new Registry();
    invoices = new Invoices(env.databases, () => now);
    rated = new RatedDays(env.databases, prices, invoices, new MeteringMetrics(registry));
    behind = new DriftRequests(env.databases, prices, invoices);
  });
  afterAll(() => env.stop());

  /** An event of a request that came so many minutes after a day's begin, at a provider of its own. */
  const event = (provider: string, minute: number, requestId: string, day = yesterday, changes: object = {}) =>
    makeEvent({
      requestId,
      endedAt: startOf(day) + minute * 60_000 + 100,
      attempts: [{ deployment: `${model}@${provider}`, provider, status: 200, error: null, latencyMs: 1 }],
      ...changes,
    });
  const store = (provider: string, lines: BilledLine[], more: object = {}) =>
    invoices.store({
      ...{ provider, day: yesterday, source: 'api', add: false, reading: null, problem: null, minutes: [], lines },
      ...more,
    });
  it('keeps the reading that began last, whole, where two instances hand over a large bill at the same time', async () => {
    const steps = (name: string) => ({
      reading: randomUUID(),
      lines: Array.from({ length: 6 }, (_, at) => line({ kind: `${name} ${at}`, picoUsd: '1000' })),
    });
    const [one, other] = [steps('one'), steps('other')];
    const hand = ({ reading, lines }: ReturnType<typeof steps>, at: number) =>
      store('twice', lines.slice(at * 2, at * 2 + 2), { add: at > 0, reading });
    const kinds = async () => (await invoices.billed(yesterday, yesterday, 'twice')).map(({ kind }) => kind).sort();
    expect([await hand(one, 0), await hand(other, 0)]).toEqual([true, true]);
    expect([await hand(one, 1), await hand(other, 1), await hand(one, 2), await hand(other, 2)]).toEqual([
      ...[false, true, false, true],
    ]);
    expect(await kinds()).toEqual(other.lines.map(({ kind }) => kind));
    // All at once, in whatever order the database takes them: one whole bill, never a part of the other.
    for (let round = 0; round < 10; round++) {
      const readings = [steps('one'), steps('other'), steps('third')];
      await Promise.all(
        readings.map(async (reading) => {
          for (let at = 0; at < 3; at++) if (!(await hand(reading, at))) return;
        }),
      );
      const stored = await kinds();
      expect(readings.map(({ lines }) => lines.map(({ kind }) => kind))).toContainEqual(stored);
    }
  });

  const drift = async (provider: string) => (await invoices.drift(yesterday, yesterday, provider)).lines;

  it('finds no drift where a bill is what our prices make of the day, discounts and cached answers included, and shows it', async () => {
    const usage = { input: 10, output: 5, cachedInput: 4, reasoning: 2 };
    await env.newIngest().ingest(
      [
        event('even', 0, 'first'),
        event('even', 1_439, 'last', yesterday, {
          usage: { ...makeEvent().usage, ...usage, served: { discount: '0.5', markup: '0.2' } },
        }),
        event('even', 0, 'of today', dayOf(now)),
        event('other', 5, 'of another provider'),
        event('even', 6, 'from the cache', yesterday, { cached: true, attempts: [], usage: makeEvent().usage }),
      ].map((each) => (each.cached ? { ...each, usage: { ...each.usage, input: 0, output: 0 } } : each)),
    );
    // 10 and 10 less half; 5 and 5 less half, at 1 and 2 micro-dollars.
    await store('even', [
      line({ kind: 'input', picoUsd: '13000000', quantity: 16 }),
      line({ kind: 'cachedInput', picoUsd: '2000000', quantity: 4 }),
      line({ kind: 'output', picoUsd: '15000000', quantity: 10 }),
    ]);
    expect(await drift('even')).toEqual([]);
    expect(await rated.run()).toBe(1);
    const lines = await drift('even');
    expect(
      lines
        .map(({ kind, driftPicoUsd, billedQuantity, ratedQuantity, requests }) => [
          kind,
          driftPicoUsd,
          billedQuantity,
          ratedQuantity,
          requests,
        ])
        .sort(([one], [other]) => String(one).localeCompare(String(other))),
    ).toEqual([
      ['cachedInput', '0', 4, 4, 1],
      ['input', '0', 16, 16, 2],
      ['output', '0', 10, 10, 2],
    ]);
    expect(await rated.run()).toBe(0);
    const text = await registry.metrics();
    expect(text).toContain('tollgate_metering_billed_usd{provider="even"} 0.00003');
    expect(text).toContain('tollgate_metering_bill_drift_usd{provider="even"} 0');
  });

  it('names every request behind each planted difference where a bill tells single requests', async () => {
    const events = ['right', 'dear', 'forgotten'].map((id, minute) => event('by-id', minute, id));
    await env.newIngest().ingest(events);
    await store('by-id', [
      line({ kind: '', requestId: 'right', picoUsd: '20000000' }),
      line({ kind: '', requestId: events[1]?.id ?? '', picoUsd: '30000001' }),
      line({ kind: '', requestId: 'stranger', picoUsd: '7' }),
    ]);
    await rated.run();
    const [found] = await drift('by-id');
    expect(found).toMatchObject({ kind: '', billedPicoUsd: '50000008', ratedPicoUsd: '60000000', requests: 3 });
    const { requests, count } = await behind.find({ provider: 'by-id', day: yesterday, model, kind: '' });
    expect(count).toBe(3);
    expect(requests.map(({ requestId, reason, billedPicoUsd }) => [requestId, reason, billedPicoUsd])).toEqual([
      ['forgotten', 'not-billed', '0'],
      ['dear', 'amount', '30000001'],
      ['stranger', 'unknown-here', '7'],
    ]);
    const named = requests.reduce(
      (sum, each) => sum + BigInt(each.billedPicoUsd ?? 0) - BigInt(each.ratedPicoUsd ?? 0),
      0n,
    );
    expect(named.toString()).toBe(found?.driftPicoUsd);
  });

  it('knows the answers of a provider by the ids that it has for them, attempts that lost included', async () => {
    const at = (provider: string, answerId?: string) => ({
      ...{ deployment: `${model}@${provider}`, provider, status: 200, error: null, latencyMs: 1 },
      ...(answerId !== undefined && { answerId }),
    });
    const events = [
      event('told', 1, 'one', yesterday, { attempts: [at('told', 'gen-1')] }),
      event('told', 2, 'hedged', yesterday, { attempts: [at('told', 'gen-2'), at('told', 'gen-3')] }),
      event('told', 3, 'without an id', yesterday, { attempts: [at('told')] }),
      event('told', 4, 'of another', yesterday, { attempts: [at('else', 'gen-4')] }),
      event('told', 5, 'of today', dayOf(now), { attempts: [at('told', 'gen-5')] }),
    ];
    await env.newIngest().ingest(events);
    const answers = new KeptAnswers(env.databases);
    const found: KeptAnswer[] = [];
    let after: string | null = null;
    do {
      const step: { answers: KeptAnswer[]; next: string | null } = await answers.find(
        { provider: 'told', day: yesterday },
        after,
      );
      found.push(...step.answers);
      after = step.next;
    } while (after !== null);
    const [one, hedged] = events.map(({ id }) => id);
    expect(found).toEqual([
      { answerId: 'gen-1', eventId: one, model },
      { answerId: 'gen-2', eventId: hedged, model },
      { answerId: 'gen-3', eventId: hedged, model },
    ]);
  });

  it('knows requests on an imported invoice by what the provider calls their answers, attempts that lost included', async () => {
    const tried = (answerId: string) => {
      return { deployment: `${model}@called`, provider: 'called', status: 200, error: null, latencyMs: 1, answerId };
    };
    await env
      .newIngest()
      .ingest([
        event('called', 1, 'right', yesterday, { attempts: [tried('answer-1')] }),
        event('called', 2, 'lost one', yesterday, { attempts: [tried('answer-2'), tried('answer-3')] }),
      ]);
    const billed = (requestId: string, picoUsd: string) => line({ kind: '', requestId, picoUsd });
    await store('called', [billed('answer-1', '20000000'), billed('answer-2', '7'), billed('answer-3', '20000000')]);
    await rated.run();
    const { requests } = await behind.find({ provider: 'called', day: yesterday, model, kind: '' });
    expect(requests).toMatchObject([{ requestId: 'lost one', reason: 'amount', billedPicoUsd: '20000007' }]);
  });

  it('names those of the minutes in which a provider tells other tokens, and one that we know nothing of', async () => {
    await env.newIngest().ingest([1, 2, 3].map((minute) => event('by-minute', minute, `minute ${minute}`)));
    const minute = (at: number, input: number) => ({ model, at: startOf(yesterday) + at * 60_000, input, output: 5 });
    await store('by-minute', [line({ picoUsd: '99000000' })], {
      minutes: [minute(1, 10), minute(2, 60), minute(3, 10), minute(9, 19)],
    });
    await rated.run();
    const found = await behind.find({ provider: 'by-minute', day: yesterday, model, kind: 'input' });
    expect(found.requests).toMatchObject([
      { requestId: 'minute 2', reason: 'minute' },
      { requestId: '', reason: 'unknown-here', at: startOf(yesterday) + 9 * 60_000 },
    ]);
    // All output tokens are as they are told, but for the minute that nobody knows.
    expect((await behind.find({ provider: 'by-minute', day: yesterday, model, kind: 'output' })).count).toBe(1);
  });

  it('names none by a minute that agrees, whatever else of it is in the line, or of another model', async () => {
    const usage = makeEvent().usage;
    const advice = { model: 'test/other', input: 70, output: 9, cachedInput: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    const [cached, alsoCached, advised] = [
      { ...usage, cachedInput: 4 },
      { ...usage, input: 12, cachedInput: 4 },
      { ...usage, input: 80, output: 14, served: { parts: [advice] } },
    ];
    await env
      .newIngest()
      .ingest([
        event('mixed', 1, 'cached', yesterday, { usage: cached }),
        event('mixed', 1, 'plain, in the same minute'),
        event('mixed', 2, 'plain'),
        event('mixed', 3, 'advised', yesterday, { usage: advised }),
        event('mixed', 4, 'cached, and told otherwise', yesterday, { usage: alsoCached }),
      ]);
    const minute = (at: number, input: number, output = 5) => {
      return { model, at: startOf(yesterday) + at * 60_000, input, output };
    };
    await store('mixed', [line({ picoUsd: '1' }), line({ kind: 'cachedInput', picoUsd: '1' })], {
      minutes: [minute(1, 20, 10), minute(2, 10), minute(3, 10), minute(4, 19)],
    });
    await rated.run();
    for (const kind of ['cachedInput', 'input']) {
      const { requests } = await behind.find({ provider: 'mixed', day: yesterday, model, kind });
      expect(requests.map(({ requestId }) => requestId)).toEqual(['cached, and told otherwise']);
    }
  });

  it('knows a request that is billed for what it did not use', async () => {
    const events = [event('unasked', 1, 'searched, they say'), event('unasked', 2, 'right')];
    await env.newIngest().ingest(events);
    await store('unasked', [line({ kind: 'webSearch', requestId: 'searched, they say', picoUsd: '7' })]);
    await rated.run();
    const { requests } = await behind.find({ provider: 'unasked', day: yesterday, model, kind: 'webSearch' });
    const eventId = events[0]?.id;
    expect(requests).toMatchObject([{ eventId, reason: 'amount', billedPicoUsd: '7', ratedPicoUsd: '0' }]);
  });

  /** A request that `winner` answered, and `loser` did not. */
  const raced = (loser: string, minute: number, requestId: string, unbilled: Attempt['unbilled']) => {
    const tried = (provider: string, error: string | null) => {
      return { deployment: `${model}@${provider}`, provider, status: 200, error, latencyMs: 1 };
    };
    const attempts = [{ ...tried(loser, 'outrun'), unbilled }, tried('winner', null)];
    return event('winner', minute, requestId, yesterday, { attempts });
  };

  it('counts what an attempt used that its caller does not pay, at the provider of the attempt', async () => {
    await env.newIngest().ingest([raced('loser', 3, 'hedged', { input: 7, output: 1 })]);
    await store('loser', []);
    await rated.run();
    expect(await drift('loser')).toMatchObject([
      {
        kind: 'input',
        billedPicoUsd: null,
        ratedPicoUsd: '7000000',
        driftPicoUsd: '-7000000',
        unbilledPicoUsd: '7000000',
      },
      { kind: 'output', ratedPicoUsd: '2000000', unbilledPicoUsd: '2000000' },
    ]);
  });

  it('has what is estimated of such an attempt beside what is certain, whether its provider charged it or not', async () => {
    const estimated = { input: 7, output: 0, estimated: true as const };
    const certain = { unbilledPicoUsd: '0', estimatedPicoUsd: '7000000', estimatedQuantity: 7 };
    for (const [provider, requests] of [
      ['did-not', ['kept']],
      ['did', ['kept', 'lost']],
    ] as const) {
      await env
        .newIngest()
        .ingest([event(provider, 1, `kept by ${provider}`), raced(provider, 2, `lost by ${provider}`, estimated)]);
      const picos = { kept: 10_000_000n, lost: 7_000_000n };
      const input = requests.reduce((sum, each) => sum + picos[each], 0n).toString();
      const minutes = requests.map((each) => ({
        ...{ model, at: startOf(yesterday) + (each === 'kept' ? 1 : 2) * 60_000 },
        ...(each === 'kept' ? { input: 10, output: 5 } : { input: 7, output: 0 }),
      }));
      await store(provider, [line({ picoUsd: input }), line({ kind: 'output', picoUsd: '10000000' })], { minutes });
      await rated.run();
      expect(await drift(provider)).toMatchObject([
        {
          kind: 'input',
          billedPicoUsd: input,
          ratedPicoUsd: '10000000',
          driftPicoUsd: '0',
          ratedQuantity: 10,
          ...certain,
        },
        { kind: 'output', driftPicoUsd: '0', estimatedPicoUsd: '0', estimatedQuantity: 0 },
      ]);
      expect(await registry.metrics()).toContain(`tollgate_metering_bill_drift_usd{provider="${provider}"} 0\n`);
      expect(await registry.metrics()).toContain(
        `tollgate_metering_bill_estimated_usd{provider="${provider}"} 0.000007`,
      );
    }
    // A stranger's tokens are more than any estimate: they are a drift, of the very minute.
    const minutes = [{ model, at: startOf(yesterday) + 2 * 60_000, input: 9, output: 0 }];
    await store('did', [line({ picoUsd: '19000000' }), line({ kind: 'output', picoUsd: '10000000' })], {
      minutes: [{ model, at: startOf(yesterday) + 60_000, input: 10, output: 5 }, ...minutes],
    });
    await rated.run();
    expect((await drift('did'))[0]).toMatchObject({ kind: 'input', driftPicoUsd: '2000000' });
    const { requests } = await behind.find({ provider: 'did', day: yesterday, model, kind: 'input' });
    expect(requests).toMatchObject([
      { requestId: 'lost by did', reason: 'minute', ratedPicoUsd: '0', estimatedPicoUsd: '7000000' },
    ]);
  });

  it('does not miss what was estimated of an answer where a bill of single requests has none of it', async () => {
    const estimated = { input: 7, output: 0, estimated: true as const };
    await env
      .newIngest()
      .ingest([
        raced('ids', 1, 'charged', estimated),
        raced('ids', 2, 'not charged', estimated),
        event('ids', 3, 'own'),
      ]);
    await store('ids', [
      line({ requestId: 'charged', picoUsd: '7000000', kind: '' }),
      line({ requestId: 'own', picoUsd: '20000001', kind: '' }),
    ]);
    await rated.run();
    const { requests } = await behind.find({ provider: 'ids', day: yesterday, model, kind: '' });
    expect(requests.map(({ requestId, reason }) => [requestId, reason])).toEqual([['own', 'amount']]);
  });

  it('counts usage without a price apart', async () => {
    await env.newIngest().ingest([event('unpriced', 3, 'unpriced', yesterday, { model: 'test/unknown' })]);
    await store('unpriced', [line({ model: 'test/unknown', picoUsd: '5' })]);
    await rated.run();
    const [input] = await drift('unpriced');
    expect(input).toMatchObject({ kind: 'input', driftPicoUsd: '5', ratedQuantity: 10, requests: 1, unpriced: 1 });
  });

  it('wants the last three whole days of a provider, until it has read them, and leaves an imported one alone', async () => {
    const days = [1, 2, 3].map((ago) => ({ provider: 'asked', day: dayOf(now - ago * dayMs) }));
    expect(await invoices.wanted(['asked'])).toEqual(days);
    await store('asked', []);
    await store('asked', [], { day: days[1]?.day, problem: 'it answered 401' });
    expect(await invoices.wanted(['asked'])).toEqual([days[2]]);
    const later = new Invoices(env.databases, () => now + 2 * 3_600_000);
    const atLater = (await later.wanted(['asked'])).map(({ day }) => day);
    expect(atLater).toContain(days[1]?.day);
    await store('asked', [line({ picoUsd: '1' })], { source: 'november.csv' });
    const muchLater = new Invoices(env.databases, () => startOf(yesterday) + 2 * dayMs - 1);
    expect((await muchLater.wanted(['asked'])).map(({ day }) => day)).not.toContain(yesterday);
    await rated.run();
    expect(await registry.metrics()).toContain('tollgate_metering_bills_unread{provider="asked"} 1');
  });

  it('takes a bill in the place of the last one, and in several steps', async () => {
    await store('steps', [line({ picoUsd: '1' })]);
    await store('steps', [line({ picoUsd: '2' })]);
    await store('steps', [line({ picoUsd: '3', kind: 'output' })], { add: true });
    await rated.run();
    expect((await drift('steps')).map(({ billedPicoUsd }) => billedPicoUsd)).toEqual(['3', '2']);
    await expect(invoices.drift('2026-01-01', '2026-12-31', null)).rejects.toMatchObject({ code: 'invalid' });
  });
});
