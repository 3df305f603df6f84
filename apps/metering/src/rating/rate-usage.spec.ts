import { noUsage } from '@tollgate/contracts';
import type { TokenUsage } from '@tollgate/contracts';
import { priceSheet } from '@tollgate/contracts/catalog';
import type { PriceSheet } from '@tollgate/contracts/catalog';
import type { z } from 'zod';
import { toRateSheet } from './rate-sheet';
import { chargeEvent, rateUsage } from './rate-usage';

const cost = (sheet: z.input<typeof priceSheet>, usage: Partial<TokenUsage>, completed = true) =>
  rateUsage(toRateSheet(priceSheet.parse(sheet)), { ...noUsage, ...usage }, completed);

const plain = { input: '2.5', output: '10' };
const rich: Partial<PriceSheet> & typeof plain = {
  ...plain,
  cachedInput: '0.25',
  cacheWrite5m: '3.125',
  cacheWrite1h: '5',
  reasoning: '12',
  audioInput: '40',
  audioOutput: '80',
};
const everyKind = {
  input: 1_000,
  cachedInput: 100,
  cacheWrite5m: 200,
  cacheWrite1h: 300,
  audioInput: 50,
  output: 500,
  reasoning: 60,
  audioOutput: 40,
};

describe('rateUsage', () => {
  it.each([
    ['input and output tokens', plain, { input: 1_000, output: 100 }, 3_500_000n],
    ['nothing for nothing', plain, {}, 0n],
    // 350*2500 + 100*250 + 200*3125 + 300*5000 + 50*40000 and 400*10000 + 60*12000 + 40*80000 nano-dollars
    ['every kind at its own rate', rich, everyKind, 12_945_000n],
    ['kinds without a rate of their own as input and output', plain, everyKind, 7_500_000n],
    ['half a nano-dollar up', { input: '0.0005', output: '0' }, { input: 1 }, 1n],
    ['less than half a nano-dollar down', { input: '0.000499', output: '0' }, { input: 1 }, 0n],
    ['the event once, not every part', { input: '0.0004', output: '0.0004' }, { input: 1, output: 1 }, 1n],
    [
      'amounts beyond 2^53 exactly',
      { input: '999.999999', output: '0' },
      { input: 9_999_999_999 },
      9_999_999_989_000_000n,
    ],
    [
      'no more tokens than the total, whatever its parts claim',
      rich,
      { input: 10, cachedInput: 8, audioInput: 5 },
      82_000n,
    ],
  ])('charges %s', (_, sheet, usage, nanos) => {
    expect(cost(sheet, usage)).toBe(nanos);
  });

  const tiered = {
    ...plain,
    longContext: [
      { aboveInputTokens: 200, input: '5', output: '20' },
      { aboveInputTokens: 500, input: '7', output: '30', cachedInput: '1' },
    ],
  };
  it.each([
    [200, 510_000n],
    [201, 1_025_000n],
    [500, 2_520_000n],
    [501, 3_537_000n],
  ])('charges all %d input tokens at the rates of their tier, beginning above its threshold', (input, nanos) => {
    expect(cost(tiered, { input, output: 1 })).toBe(nanos);
  });

  it('charges the price of a request when it was completed or used a token, and not for a plain failure', () => {
    const sheet = { ...plain, perRequest: '0.01' };
    expect(cost(sheet, {})).toBe(10_000_000n);
    expect(cost(sheet, { input: 2 }, false)).toBe(10_005_000n);
    expect(cost(sheet, {}, false)).toBe(0n);
  });

  const termed = {
    input: '2',
    output: '10',
    cachedInput: '0.1',
    longContext: [{ aboveInputTokens: 1_000, input: '4', output: '15' }],
    terms: {
      served: [
        { on: 'tier' as const, value: 'priority', factor: '2' },
        { on: 'tier' as const, value: 'odd', rates: { input: '3.333333', output: '7' } },
        { on: 'speed' as const, value: 'fast', factor: '6' },
        { on: 'region' as const, value: 'us', factor: '1.1' },
      ],
      units: { webSearch: '0.01', webFetch: '0' },
      kinds: { imageInput: '8' },
    },
  };
  it.each<[string, Partial<TokenUsage>, bigint | null]>([
    ['the tier that served', { input: 100, output: 10, served: { tier: 'priority' } }, 600_000n],
    ['every rate of it', { input: 100, cachedInput: 50, served: { tier: 'priority' } }, 210_000n],
    ['its steps by prompt size', { input: 1_001, output: 10, served: { tier: 'priority' } }, 8_308_000n],
    ['rates in place of the usual ones', { input: 300, output: 1, served: { tier: 'odd' } }, 1_007_000n],
    ['stacked terms', { input: 100, served: { speed: 'fast', region: 'us' } }, 1_320_000n],
    ['units beside tokens', { input: 100, served: { units: { webSearch: 3, webFetch: 9 } } }, 30_200_000n],
    ['a modality at its own rate', { input: 100, served: { imageInput: 60 } }, 560_000n],
    ['nothing that is known, for a tier without a price', { input: 100, served: { tier: 'ultrafast' } }, null],
    ['nothing that is known, for a unit without a price', { served: { units: { fileSearch: 1 } } }, null],
    ['no uses of a unit without a price', { input: 100, served: { units: { fileSearch: 0 } } }, 200_000n],
  ])('charges %s', (_, usage, nanos) => {
    expect(cost(termed, usage)).toBe(nanos);
  });
});

describe('what was read from the cache of what the caller marked', () => {
  const sheet = {
    ...rich,
    longContext: [{ aboveInputTokens: 500, input: '3', output: '9', cachedInput: '0.5' }],
    terms: { served: [{ on: 'tier' as const, value: 'priority', factor: '2' }], markedReads: '0.085' },
  };
  const marked = { markedReads: true } as const;
  it.each<[string, Partial<TokenUsage>, bigint]>([
    ['as its part of the input rate', { input: 100, cachedInput: 100, served: marked }, 21_250n],
    ['as the rate of the cache where nothing was marked', { input: 100, cachedInput: 100 }, 25_000n],
    ['by the step of the prompt', { input: 600, cachedInput: 600, served: marked }, 153_000n],
    ['in the tier that served', { input: 100, cachedInput: 100, served: { ...marked, tier: 'priority' } }, 42_500n],
    ['writes at their own rate', { input: 100, cachedInput: 60, cacheWrite5m: 40, served: marked }, 137_750n],
  ])('is charged %s', (_, usage, nanos) => {
    expect(cost(sheet, usage)).toBe(nanos);
  });

  it('is charged as any other of the cache where its price is not told apart', () => {
    expect(cost(rich, { input: 100, cachedInput: 100, served: marked })).toBe(25_000n);
  });
});

describe('chargeEvent', () => {
  const prices: Record<string, z.input<typeof priceSheet>> = {
    executor: { input: '2', output: '10' },
    advisor: { input: '10', output: '50', cachedInput: '1' },
  };
  const find = (model: string) => {
    const sheet = prices[model];
    return sheet ? { id: `price of ${model}`, sheet: toRateSheet(priceSheet.parse(sheet)) } : null;
  };
  const part = { input: 400, output: 20, cachedInput: 300, cacheWrite5m: 0, cacheWrite1h: 0 };
  const charge = (model: string) =>
    chargeEvent(
      {
        model: 'executor',
        state: 'completed',
        cached: false,
        attempts: [],
        endedAt: 0,
        usage: { ...noUsage, input: 1_400, output: 120, cachedInput: 300, served: { parts: [{ model, ...part }] } },
      },
      find,
    );

  it('charges tokens of another model at that model and the rest at its own', () => {
    const { nanoUsd, lines } = charge('advisor');
    // 1000*2000 + 100*10000, and 100*10000 + 300*1000 + 20*50000 nano-dollars
    expect(nanoUsd).toBe(3_000_000n + 2_300_000n);
    expect(lines.map(({ kind, tokens, part: of }) => [kind, tokens, of?.model])).toEqual([
      ['input', 1_000, undefined],
      ['output', 100, undefined],
      ['cachedInput', 300, 'advisor'],
      ['input', 100, 'advisor'],
      ['output', 20, 'advisor'],
    ]);
  });

  it('takes the discount of the deployment off all of it, and puts the mark-up on what is left, each a line', () => {
    const usage = { ...noUsage, input: 1_001, output: 0, served: { discount: '0.15', markup: '0.2' } };
    const event = { model: 'executor', state: 'completed' as const, cached: false, attempts: [], usage, endedAt: 0 };
    const { nanoUsd, lines } = chargeEvent(event, find);
    // 1001*2000 = 2_002_000 nano-dollars; less 15 % 1_701_700; and 20 % of that 340_340
    expect(lines.map(({ kind, rate, fraction }) => [kind, rate, fraction])).toEqual([
      ['input', 2_000_000n, undefined],
      ['discount', -300_300_000n, '0.15'],
      ['markup', 340_340_000n, '0.2'],
    ]);
    expect(nanoUsd).toBe(2_042_040n);
  });

  it.each<[string, string, Partial<TokenUsage>, bigint]>([
    ['before the hours', '2026-11-24T00:59:59.999Z', { input: 100, output: 10 }, 300_000n],
    ['within them, every rate', '2026-11-24T01:00:00.000Z', { input: 100, cachedInput: 50, output: 10 }, 410_000n],
    ['within them, a step by prompt size', '2026-11-24T01:00:00.000Z', { input: 1_001 }, 8_008_000n],
    ['within them, with a tier', '2026-11-24T01:00:00.000Z', { input: 100, served: { tier: 'flex' } }, 200_000n],
    ['within them, rates of a tier', '2026-11-24T01:00:00.000Z', { input: 100, served: { tier: 'own' } }, 600_000n],
    [
      'within them, a unit at its one price',
      '2026-11-24T01:00:00.000Z',
      { served: { units: { search: 1 } } },
      10_000_000n,
    ],
    ['after them', '2026-11-24T04:00:00.000Z', { input: 100, output: 10 }, 300_000n],
  ])('is at the rates of the hour at which it ended: %s', (_, ended, used, nanos) => {
    const sheet = toRateSheet(
      priceSheet.parse({
        ...{ input: '2', output: '10', cachedInput: '0.1' },
        longContext: [{ aboveInputTokens: 1_000, input: '4', output: '15' }],
        terms: {
          served: [
            { on: 'tier', value: 'flex', factor: '0.5' },
            { on: 'tier', value: 'own', rates: { input: '3', output: '9' } },
          ],
          hours: [{ days: [1, 2, 3, 4, 5], from: '01:00', to: '04:00', factor: '2' }],
          units: { search: '0.01' },
        },
      }),
    );
    const usage = { ...noUsage, ...used };
    const event = {
      model: 'm',
      state: 'completed' as const,
      cached: false,
      attempts: [],
      usage,
      endedAt: Date.parse(ended),
    };
    expect(chargeEvent(event, () => ({ id: 'p', sheet })).nanoUsd).toBe(nanos);
  });

  it('charges nothing for what went with a key of its account, and knows no less of its price', () => {
    const attempts = [
      { deployment: 'd', provider: 'acme', status: 200, error: null, latencyMs: 1, ownKey: true as const },
    ];
    const usage = { ...noUsage, input: 1_000, output: 10, served: { units: { search: 2 }, markup: '0.2' } };
    const event = { state: 'completed' as const, cached: false, attempts, usage, endedAt: 0 };
    const price = find('executor');
    expect(chargeEvent({ ...event, model: 'executor' }, find)).toEqual({ price, lines: [], nanoUsd: 0n });
    expect(chargeEvent({ ...event, model: 'unknown' }, find)).toEqual({ price: null, lines: [], nanoUsd: null });
  });

  it('charges the beginning of an answer that went on elsewhere in the terms of its own place', () => {
    const begun = { model: 'advisor', input: 100, output: 10, cachedInput: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    const parts = [{ ...begun, reasoning: 4, provider: 'acme', served: { discount: '0.5' } }];
    const usage = { ...noUsage, input: 300, output: 30, reasoning: 9, served: { markup: '0.1', parts } };
    const event = { model: 'executor', state: 'completed' as const, cached: false, attempts: [], usage, endedAt: 0 };
    const { nanoUsd, lines } = chargeEvent(event, find);
    expect(lines.map(({ kind, tokens, part: of }) => [kind, tokens, of?.provider])).toEqual([
      ['input', 200, undefined],
      ['reasoning', 5, undefined],
      ['output', 15, undefined],
      ['input', 100, 'acme'],
      ['reasoning', 4, 'acme'],
      ['output', 6, 'acme'],
      ['discount', 1, 'acme'],
      ['markup', 1, undefined],
    ]);
    // 200*2000 + 20*10000 and a tenth; 100*10000 + 10*50000 and half of it off
    expect(nanoUsd).toBe(660_000n + 750_000n);
  });

  it('is unpriced where the price of one of its models is not known', () => {
    expect(charge('nobody').nanoUsd).toBeNull();
  });
});
