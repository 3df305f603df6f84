import fc from 'fast-check';
import { addHistograms, lastBucket } from './histogram';
import { SumTable } from './sum-table';
import { countedFields, nanoPerDollar } from './written-points';
import type { Times, WrittenPoint } from './written-points';

interface Sum {
  counts: number[];
  cost: bigint;
  latency: number[];
  first: number[];
}

const rowCount = 5;
const bigCost = fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n });
/** Buckets of a histogram, which begins anywhere. */
const buckets = fc
  .tuple(fc.nat({ max: lastBucket }), fc.array(fc.nat({ max: 1_000 }), { maxLength: 12 }))
  .map(([from, counts]) => [...Array<number>(from).fill(0), ...counts].slice(0, lastBucket + 1));
const sum = fc.record({
  counts: fc.array(fc.nat({ max: 1_000_000_000_000 }), {
    minLength: countedFields.length,
    maxLength: countedFields.length,
  }),
  cost: bigCost,
  latency: buckets,
  first: buckets,
});
const row = fc.nat({ max: rowCount - 1 });
const sign = fc.constantFrom(1 as const, -1 as const);
const deed = fc.oneof(fc.record({ row, sign, sum }), fc.record({ row, sign, other: row }));

function timesOf(counts: readonly number[]): Times {
  const from = Math.max(
    0,
    counts.findIndex((count) => count > 0),
  );
  return { from, to: Math.max(from, counts.length), counts: Float64Array.from(counts.slice(from)) };
}

function pointOf({ counts, cost, latency, first }: Sum): WrittenPoint {
  const parts = [cost / BigInt(nanoPerDollar), cost % BigInt(nanoPerDollar)].map(Number);
  return {
    day: 0,
    numbers: Float64Array.from([...counts, ...parts]),
    latency: timesOf(latency),
    first: timesOf(first),
  };
}

function plus(one: Sum, other: Sum, sign: 1 | -1): Sum {
  const signed = (counts: readonly number[]) => counts.map((count) => sign * count);
  return {
    counts: one.counts.map((count, place) => count + sign * (other.counts[place] ?? 0)),
    cost: one.cost + BigInt(sign) * other.cost,
    latency: addHistograms(one.latency, signed(other.latency)),
    first: addHistograms(one.first, signed(other.first)),
  };
}

function nothing(): Sum {
  return { counts: countedFields.map(() => 0), cost: 0n, latency: [], first: [] };
}

/** Without what is of no count. */
function plain({ counts, cost, latency, first }: Sum): object {
  const told = (buckets: readonly number[]) =>
    buckets.flatMap((count, bucket) => (count === 0 ? [] : [[bucket, count]]));
  return { counts: counts.map((count) => count + 0), cost, latency: told(latency), first: told(first) };
}

function rowIn(table: SumTable, number: number): object {
  const buckets = (measured: 'latency' | 'first') => {
    const { counts, at, from, length } = table.times(number, measured);
    return [...Array<number>(from).fill(0), ...counts.slice(at, at + length)];
  };
  const counts = countedFields.map((_, place) => table.count(number, place));
  return plain({ counts, cost: table.cost(number), latency: buckets('latency'), first: buckets('first') });
}

it('rows are what was added to them and taken out of them, to the nano-dollar, whatever buckets come when', () => {
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 40 }), (deeds) => {
      const table = new SumTable();
      const numbers = Array.from({ length: rowCount }, () => table.newRow());
      const sums = numbers.map(nothing);
      for (const { row, sign, ...more } of deeds) {
        const number = numbers[row] ?? 0;
        if ('sum' in more) table.addPoint(number, pointOf(more.sum), sign);
        else table.addRow(number, numbers[more.other] ?? 0, sign);
        const added = 'sum' in more ? more.sum : (sums[more.other] ?? nothing());
        sums[row] = plus(sums[row] ?? nothing(), added, sign);
      }
      expect(numbers.map((number) => rowIn(table, number))).toEqual(sums.map(plain));
    }),
  );
});

it('thousands of rows are kept as they were, while others come, with buckets of their own', () => {
  const table = new SumTable();
  const sums = Array.from({ length: 3_000 }, (_, index) => ({
    ...nothing(),
    cost: BigInt(index) * 10n ** 12n + 1n,
    latency: [...Array<number>(Math.floor(index / 100)).fill(0), index + 1],
  }));
  const rows = sums.map((sum) => {
    const row = table.newRow();
    table.addPoint(row, pointOf(sum), 1);
    return row;
  });
  expect(rows.map((row) => rowIn(table, row))).toEqual(sums.map(plain));
});

it('a cost stays exact, however many sums are added: whole dollars are carried', () => {
  const table = new SumTable();
  const [one, all] = [table.newRow(), table.newRow()];
  table.addPoint(one, pointOf({ ...nothing(), cost: 999_999_999n }), 1);
  // Each time twice as much: as 2^40 sums of almost a dollar.
  for (let time = 0; time < 40; time++) table.addRow(one, one);
  table.addRow(all, one);
  expect(table.cost(all)).toBe(999_999_999n * 2n ** 40n);
  table.addPoint(all, pointOf({ ...nothing(), cost: 1n }), -1);
  expect(table.cost(all)).toBe(999_999_999n * 2n ** 40n - 1n);
  for (let time = 0; time < 2; time++) table.addRow(all, one, -1);
  expect(table.cost(all)).toBe(-999_999_999n * 2n ** 40n - 1n);
});
