import type { SeriesColumns } from '@tollgate/contracts/metering';
import { percentiles } from './histogram';
import type { Measured, SumTable } from './sum-table';
import { countedFields } from './written-points';

const shares = [0.5, 0.9, 0.99];
const perMs = 1_000;
type Field = (typeof countedFields)[number];

/** Rows of sums in columns, place for place, as the contract has them. */
export function columnsOf(table: SumTable, rows: readonly number[]): SeriesColumns {
  const counts = (field: Field): number[] => {
    const place = countedFields.indexOf(field);
    return rows.map((row) => table.count(row, place));
  };
  return {
    requests: counts('requests'),
    failed: counts('failed'),
    cancelled: counts('cancelled'),
    cachedRequests: counts('fromCache'),
    unpricedRequests: counts('unpriced'),
    inputTokens: counts('input'),
    outputTokens: counts('output'),
    cachedInputTokens: counts('cached'),
    reasoningTokens: counts('reasoning'),
    costNanoUsd: rows.map((row) => table.cost(row).toString()),
    latency: percentileColumns(table, rows, 'latency'),
    firstToken: percentileColumns(table, rows, 'first'),
    streamedTokens: counts('streamedTokens'),
    streamedMs: counts('streamedMs'),
  };
}

function percentileColumns(table: SumTable, rows: readonly number[], measured: Measured): SeriesColumns['latency'] {
  const columns: SeriesColumns['latency'] = { p50: [], p90: [], p99: [] };
  for (const row of rows) {
    const times = table.times(row, measured);
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
