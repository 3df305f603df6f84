import { noUsage } from '@tollgate/contracts';
import { priceSheet } from '@tollgate/contracts/catalog';
import { toRateSheet } from '../rating/rate-sheet';
import { ratedUses } from './rated-uses';

const find = (model: string) => ({
  id: `price of ${model}`,
  sheet: toRateSheet(priceSheet.parse({ input: model === 'begun' ? '10' : '2', output: '10' })),
});
const tried = { status: 200, error: null, latencyMs: 1 };

describe('ratedUses', () => {
  it('expects the beginning of an answer on the bill of who served it, less the discount there', () => {
    const part = { model: 'begun', input: 100, output: 0, cachedInput: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    const parts = [{ ...part, provider: 'acme', served: { discount: '0.5' } }];
    const usage = { ...noUsage, input: 300, output: 20, served: { parts } };
    const attempts = [
      { deployment: 'a', provider: 'acme', ...tried, error: 'unfinished_answer' },
      { deployment: 'b', provider: 'spare', ...tried, goesOn: true as const },
    ];
    const event = { model: 'answered', usage, attempts, state: 'completed' as const, cached: false, endedAt: 0 };
    const uses = ratedUses(event, find);
    const certain = { unbilled: false, estimated: false };
    expect(uses).toEqual([
      { provider: 'spare', model: 'answered', kind: 'input', quantity: 200, picoUsd: 400_000_000n, ...certain },
      { provider: 'spare', model: 'answered', kind: 'output', quantity: 20, picoUsd: 200_000_000n, ...certain },
      { provider: 'acme', model: 'begun', kind: 'input', quantity: 100, picoUsd: 500_000_000n, ...certain },
    ]);
  });

  it('tells apart what an attempt used that nobody pays, as its provider told it and as it is estimated', () => {
    const attempts = [
      { deployment: 'answered@acme', provider: 'acme', ...tried, unbilled: { input: 7, output: 0 } },
      {
        ...{ deployment: 'answered@spare', provider: 'spare', ...tried },
        unbilled: { input: 8, output: 0, estimated: true as const },
      },
      { deployment: 'answered@last', provider: 'last', ...tried },
    ];
    const event = { model: 'answered', usage: noUsage, attempts, state: 'failed' as const, cached: false, endedAt: 0 };
    const ofInput = { model: 'answered', kind: 'input', unbilled: true };
    expect(ratedUses(event, find)).toEqual([
      { ...ofInput, provider: 'acme', quantity: 7, picoUsd: 14_000_000n, estimated: false },
      { ...ofInput, provider: 'spare', quantity: 8, picoUsd: 16_000_000n, estimated: true },
    ]);
  });

  it('expects what nobody pays at the rates of the cache, with the uses of tools, less the discount', () => {
    const sheet = priceSheet.parse({
      ...{ input: '2', cachedInput: '0.2', cacheWrite5m: '2.5', output: '10' },
      terms: { units: { webSearch: '0.01' } },
    });
    const rates = { id: 'price', sheet: toRateSheet(sheet) };
    const unbilled = { input: 1_000, output: 0, cachedInput: 900, cacheWrite5m: 60 };
    const terms = { discount: '0.15', units: { webSearch: 3 } };
    const attempts = [{ deployment: 'd', provider: 'acme', ...tried, unbilled: { ...unbilled, served: terms } }];
    const event = { model: 'answered', usage: noUsage, attempts, state: 'failed' as const, cached: false, endedAt: 0 };
    const uses = ratedUses(event, () => rates);
    expect(uses.map(({ kind, quantity, picoUsd }) => [kind, quantity, picoUsd])).toEqual([
      ['cachedInput', 900, 153_000_000n],
      ['cacheWrite5m', 60, 127_500_000n],
      ['input', 40, 68_000_000n],
      ['webSearch', 3, 25_500_000_000n],
    ]);
  });

  it('expects nothing on a bill of the operator for what went with a key of its account', () => {
    const own = { deployment: 'answered@acme', provider: 'acme', ...tried, ownKey: true as const };
    const attempts = [own, own];
    const usage = { ...noUsage, input: 300, output: 20 };
    const event = { model: 'answered', usage, attempts, state: 'completed' as const, cached: false, endedAt: 0 };
    expect(ratedUses(event, find)).toEqual([]);
    expect(ratedUses({ ...event, state: 'failed', usage: noUsage }, find)).toEqual([]);
  });
});
