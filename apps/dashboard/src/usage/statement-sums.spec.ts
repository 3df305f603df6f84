import { sumsByModel } from './statement-sums';

const line = (model: string, costNanoUsd: string, day = '2026-11-01') => ({
  ...{
    day,
    model,
    costNanoUsd,
    requests: 2,
    unpricedRequests: 1,
    inputTokens: 5,
    cachedInputTokens: 1,
    outputTokens: 3,
  },
});

it('adds the days of a model up, to the nano-dollar, the most costly first', () => {
  const sums = sumsByModel([
    line('b/cheap', '1'),
    line('a/dear', '9007199254740993'),
    line('a/dear', '1', '2026-11-02'),
    line('a/cheap', '1'),
  ]);
  const twice = { requests: 4, unpricedRequests: 2, inputTokens: 10, cachedInputTokens: 2, outputTokens: 6 };
  expect(sums.map(({ model }) => model)).toEqual(['a/dear', 'a/cheap', 'b/cheap']);
  expect(sums[0]).toEqual({ model: 'a/dear', costNanoUsd: 9007199254740994n, ...twice });
});
