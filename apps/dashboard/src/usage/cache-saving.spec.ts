import type { SeriesCounters } from '@tollgate/contracts/metering';
import { cacheShare, savedByCache } from './cache-saving';

const totals = (changes: Partial<SeriesCounters>): SeriesCounters => ({
  ...{ requests: 0, failed: 0, cancelled: 0, cachedRequests: 0, unpricedRequests: 0, inputTokens: 0, outputTokens: 0 },
  ...{ cachedInputTokens: 0, reasoningTokens: 0, costNanoUsd: '0', latency: null, firstToken: null },
  tokensPerSecond: null,
  ...changes,
});

it('tells which part of the answers came from the cache', () => {
  expect(cacheShare(totals({ requests: 14, failed: 3, cancelled: 1, cachedRequests: 4 }))).toBe(0.4);
  expect(cacheShare(totals({ requests: 3, failed: 3 }))).toBe(0);
});

it('takes an answer of the cache for what others of its line cost on average', () => {
  const dear = totals({ requests: 14, failed: 2, cachedRequests: 2, costNanoUsd: '10000000000000000010' });
  const unused = totals({ requests: 5, costNanoUsd: '7' });
  expect(savedByCache([{ totals: dear }, { totals: unused }])).toBe(2000000000000000002n);
});

it('says nothing of lines of which nothing else was answered, or nothing has a price', () => {
  const cachedAlone = totals({ requests: 2, cachedRequests: 2 });
  const unpriced = totals({ requests: 6, cachedRequests: 2, unpricedRequests: 4 });
  expect(savedByCache([{ totals: cachedAlone }, { totals: unpriced }])).toBeNull();
});
