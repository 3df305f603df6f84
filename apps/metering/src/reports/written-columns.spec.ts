import { seriesReply } from '@tollgate/contracts/metering';
import fc from 'fast-check';
import { countTime, percentiles } from './histogram';
import { columnsOf } from './written-columns';
import { SumTable } from './sum-table';
import { nanoPerDollar } from './written-points';
import type { Times } from './written-points';

const count = fc.nat({ max: 1_000_000_000_000 });
const measured = fc.array(fc.double({ min: 0.01, max: 9_000_000, noNaN: true }), { maxLength: 30 });
const sums = fc
  .record({
    requests: count,
    failed: count,
    cancelled: count,
    fromCache: count,
    unpriced: count,
    input: count,
    output: count,
    cached: count,
    reasoning: count,
    streamedTokens: count,
    streamedMs: count,
    cost: fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
  })
  .chain((counted) => fc.tuple(measured, measured).map((times) => ({ counted, times })));

/** Also what is not from the first bucket on. */
function timesOf(measuredMs: readonly number[]): Times {
  const counts: number[] = [];
  for (const ms of measuredMs) countTime(counts, ms);
  const from = Math.max(
    0,
    counts.findIndex((one) => one > 0),
  );
  return { from, to: counts.length, counts: Float64Array.from(counts.slice(from)) };
}

function percentilesOf(measuredMs: readonly number[]): object | null {
  const counts: number[] = [];
  for (const ms of measuredMs) countTime(counts, ms);
  const [p50, p90, p99] = percentiles(counts, [0.5, 0.9, 0.99]) ?? [];
  return p50 === undefined ? null : { p50, p90, p99 };
}

it('sums are read from columns as they were, with the percentiles of their histograms', () => {
  fc.assert(
    fc.property(fc.array(sums, { minLength: 1, maxLength: 5 }), (all) => {
      const table = new SumTable();
      const rows = all.map(({ counted: { cost, ...counts }, times: [latency, first] }) => {
        const row = table.newRow();
        const parts = [cost / BigInt(nanoPerDollar), cost % BigInt(nanoPerDollar)].map(Number);
        const numbers = Float64Array.from([...Object.values(counts), ...parts]);
        table.addPoint(row, { day: 0, numbers, latency: timesOf(latency), first: timesOf(first) }, 1);
        return row;
      });
      const points = columnsOf(table, rows);
      const steps = rows.map((_, place) => place);
      const totals = columnsOf(table, rows.slice(0, 1));
      const told = { startAt: 0, endAt: 1, step: 'day', timeZone: 'UTC', starts: steps, totals, grouped: false };
      const text = JSON.stringify({ ...told, lines: [{ name: 'all', totals, steps, points }] });
      const [line] = seriesReply.parse(JSON.parse(text)).lines;
      expect(line?.points).toEqual(
        all.map(({ counted: { fromCache, unpriced, input, output, cached, reasoning, cost, ...rest }, times }, at) => {
          const { requests, failed, cancelled, streamedTokens, streamedMs } = rest;
          return {
            ...{ at, requests, failed, cancelled, cachedRequests: fromCache, unpricedRequests: unpriced },
            ...{ inputTokens: input, outputTokens: output, cachedInputTokens: cached, reasoningTokens: reasoning },
            costNanoUsd: cost.toString(),
            latency: percentilesOf(times[0]),
            firstToken: percentilesOf(times[1]),
            tokensPerSecond: streamedMs > 0 ? (streamedTokens * 1_000) / streamedMs : null,
          };
        }),
      );
    }),
  );
});
