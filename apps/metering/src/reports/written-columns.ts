import type { SeriesColumns } from '@tollgate/contracts';
import { percentiles } from './histogram';
import type { Sums, Times } from './written-points';

const shares = [0.5, 0.9, 0.99];
const perMs = 1_000;

/** Sums in columns, place for place, as the contract has them. */
export function columnsOf(all: readonly Sums[]): SeriesColumns {
  return {
    requests: all.map(({ requests }) => requests),
    failed: all.map(({ failed }) => failed),
    cancelled: all.map(({ cancelled }) => cancelled),
    cachedRequests: all.map(({ fromCache }) => fromCache),
    unpricedRequests: all.map(({ unpriced }) => unpriced),
    inputTokens: all.map(({ input }) => input),
    outputTokens: all.map(({ output }) => output),
    cachedInputTokens: all.map(({ cached }) => cached),
    reasoningTokens: all.map(({ reasoning }) => reasoning),
    costNanoUsd: all.map(({ cost }) => cost.toString()),
    latency: percentileColumns(all.map(({ latency }) => latency)),
    firstToken: percentileColumns(all.map(({ first }) => first)),
    streamedTokens: all.map(({ streamedTokens }) => streamedTokens),
    streamedMs: all.map(({ streamedMs }) => streamedMs),
  };
}

function percentileColumns(all: readonly Times[]): SeriesColumns['latency'] {
  const columns: SeriesColumns['latency'] = { p50: [], p90: [], p99: [] };
  for (const times of all) {
    // By their places: to take an array apart by its iterator leaves an object for each of thousands.
    const told = percentiles(times.counts, shares, times);
    columns.p50.push(toMicroseconds(told?.[0]));
    columns.p90.push(toMicroseconds(told?.[1]));
    columns.p99.push(toMicroseconds(told?.[2]));
  }
  return columns;
}

/** They are told in whole microseconds, so nothing is lost. */
function toMicroseconds(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * perMs);
}
