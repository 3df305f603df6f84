import type { DriftLine, ReadBill } from '@tollgate/contracts/metering';
import { kindName, lastDays, summedBills } from './drift-of';

const day = '2026-11-22';
const line = (model: string, kind: string, billed: string | null, rated: string | null, more = {}): DriftLine => ({
  ...{ day, provider: 'openai', model, kind, billedPicoUsd: billed, ratedPicoUsd: rated },
  driftPicoUsd: (BigInt(billed ?? '0') - BigInt(rated ?? '0')).toString(),
  ...{ unbilledPicoUsd: '0', estimatedPicoUsd: '0' },
  ...{ billedQuantity: null, ratedQuantity: null, estimatedQuantity: 0, requests: 1, unpriced: 0 },
  ...more,
});
const bill = (ratedAt: number | null): ReadBill => ({
  ...{ provider: 'openai', day, source: 'api', readAt: 1, ratedAt, problem: null },
});

it('sums a bill, and lets lines of one model make up for each other, but not those of two', () => {
  const lines = [
    line('a', 'input', '10', '7'),
    line('a', 'cached', null, '3'),
    line('b', 'input', '5', '9', { unbilledPicoUsd: '6' }),
    { ...line('a', 'input', '99', '0'), day: '2026-11-21' },
  ];
  expect(summedBills([bill(2)], lines)).toEqual([
    { ...bill(2), billed: '15', rated: '19', unbilled: '6', estimated: '0', drift: '4' },
  ]);
});

it('knows of no difference where what is estimated explains it', () => {
  const lines = [line('a', 'input', '12', '7', { estimatedPicoUsd: '5' }), line('b', 'input', '5', '5')];
  expect(summedBills([bill(2)], lines)).toMatchObject([{ rated: '12', estimated: '5', drift: '0' }]);
});

it('knows of no difference before our side of the day is there', () => {
  expect(summedBills([bill(null)], [])[0]?.drift).toBeNull();
});

it('names kinds as charges do, others in the words of the provider', () => {
  expect(['cachedInput', 'webSearch', ''].map(kindName)).toEqual(['cached input', 'webSearch', 'all kinds']);
});

it('asks for days in UTC', () => {
  expect(lastDays(7, Date.UTC(2026, 10, 24, 0, 30))).toEqual({ from: '2026-11-17', to: '2026-11-24' });
});
