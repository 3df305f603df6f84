import type { SeriesCounters } from '@tollgate/contracts/metering';
import type { ListedModel } from '../api/catalog';
import { comparedFacts } from './compare-facts';
import type { Compared } from './compare-facts';
import { comparePath, pickedFrom, pickedText, toggled } from './picked-models';

const model: ListedModel = {
  ...{ id: 'a/b', name: 'B', provider: 'a', providerName: 'A', kind: 'text', status: 'active' },
  ...{ contextWindow: 128_000, maxOutputTokens: null, inputModalities: ['text', 'image'], outputModalities: ['text'] },
  capabilities: { tools: true },
  pricing: { input: '1.25', output: '10', cachedInput: null },
  ...{ available: true, simulated: false },
};
const measured: SeriesCounters = {
  ...{ requests: 12, failed: 1, cancelled: 0, cachedRequests: 2, unpricedRequests: 0 },
  ...{ inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0, costNanoUsd: '1' },
  ...{ latency: { p50: 800, p90: 900, p99: 2_000 }, firstToken: null, tokensPerSecond: 84.4 },
};
const told = (compared: Compared) => Object.fromEntries(comparedFacts.map(({ name, of }) => [name, of(compared)]));

it('tells of a model what it is, what it costs, and how it did, without answers of the cache', () => {
  expect(told({ model, measured })).toMatchObject({
    ...{ Provider: 'A', Input: '$1.25', Output: '$10.00', 'Input from the cache': '–', Context: '128,000' },
    ...{ 'Longest answer': '–', Takes: 'text, image', Can: 'Tools', Requests: '10', Errors: '10%' },
    ...{ 'Latency p50 / p99': '800ms / 2s', 'First token p50 / p99': '–' },
    ...{ 'Throughput, tokens/s': '84' },
  });
});

it('says of a model that was never asked, or has no price, that nothing is known', () => {
  expect(told({ model: { ...model, pricing: null }, measured: null })).toMatchObject({
    ...{ Input: 'Unknown', Requests: '–', Errors: '–', 'Latency p50 / p99': '–', 'Throughput, tokens/s': '–' },
  });
});

it('keeps what is picked in an address: each once, four at most', () => {
  expect(pickedFrom(pickedText(['a/b', 'c/d:e']))).toEqual(['a/b', 'c/d:e']);
  expect(pickedFrom('a b a c d e')).toEqual(['a', 'b', 'c', 'd']);
  expect([pickedFrom(null), pickedText([])]).toEqual([[], null]);
  expect([toggled(['a'], 'b'), toggled(['a', 'b'], 'a')]).toEqual([['a', 'b'], ['b']]);
  expect(comparePath(['a/b', 'c'])).toBe('/compare?models=a%2Fb+c');
});
