import { countedFields, nanoPerDollar } from './written-points';
import type { Times, WrittenPoint } from './written-points';

/** Where the parts of a row are; behind them are its histograms. */
const dollarsPlace = countedFields.length;
const nanoPlace = dollarsPlace + 1;
const numberCount = nanoPlace + 1;
/** Histograms get room for so many buckets more than they have: most have the same. */
const spareBuckets = 2;
const firstRows = 512;

/** The buckets [from, to) that each row has room for, and where in a row the first of them is. */
interface Room {
  from: number;
  to: number;
  place: number;
}

/** Which histogram of a row. */
export type Measured = 'latency' | 'first';

/**
 * Thousands of sums, each a row of one list of numbers: they are added up, and cleared from memory, in a
 * fraction of the time that objects take. Rows are told by their numbers, from 1 on. All have room for the
 * same buckets of histograms, which grows with what is added.
 */
export class SumTable {
  private numbers = new Float64Array(0);
  private rows = 0;
  private width = numberCount;
  private rooms: Record<Measured, Room> = {
    latency: { from: 0, to: 0, place: numberCount },
    first: { from: 0, to: 0, place: numberCount },
  };

  /** Of nothing. */
  newRow(): number {
    const row = this.rows++;
    if (this.rows * this.width > this.numbers.length) {
      const numbers = new Float64Array(Math.max(firstRows, 2 * row) * this.width);
      numbers.set(this.numbers);
      this.numbers = numbers;
    }
    return this.rows;
  }

  /** Adds a point to a row, or takes it out (-1). */
  addPoint(row: number, point: WrittenPoint, sign: 1 | -1): void {
    const { latency, first } = point;
    if (isOutside(latency, this.rooms.latency) || isOutside(first, this.rooms.first)) this.widen(latency, first);
    const all = this.numbers;
    const start = (row - 1) * this.width;
    addAt(all, start, point.numbers, 0, numberCount, sign);
    carry(all, start);
    addTimes(all, start, this.rooms.latency, latency, sign);
    addTimes(all, start, this.rooms.first, first, sign);
  }

  /** Adds another row to a row, or takes it out (-1). */
  addRow(row: number, other: number, sign: 1 | -1 = 1): void {
    const { numbers, width } = this;
    const start = (row - 1) * width;
    addAt(numbers, start, numbers, (other - 1) * width, width, sign);
    carry(numbers, start);
  }

  /** What one of `countedFields` came to, by its place in these. */
  count(row: number, place: number): number {
    return this.numbers[(row - 1) * this.width + place] ?? 0;
  }

  requests(row: number): number {
    return this.count(row, 0);
  }

  /** Nano-dollars. */
  cost(row: number): bigint {
    return BigInt(this.count(row, dollarsPlace)) * BigInt(nanoPerDollar) + BigInt(this.count(row, nanoPlace));
  }

  /** A histogram of a row: `length` numbers from `at` on, of the bucket `from` and those behind it. */
  times(row: number, measured: Measured): { counts: Float64Array; at: number; from: number; length: number } {
    const { from, to, place } = this.rooms[measured];
    return { counts: this.numbers, at: (row - 1) * this.width + place, from, length: to - from };
  }

  /** Has room for these buckets in every row. */
  private widen(latency: Times, first: Times): void {
    const { numbers, width, rooms } = this;
    const ofLatency = roomFor(rooms.latency, latency, numberCount);
    const ofFirst = roomFor(rooms.first, first, numberCount + ofLatency.to - ofLatency.from);
    this.rooms = { latency: ofLatency, first: ofFirst };
    this.width = ofFirst.place + ofFirst.to - ofFirst.from;
    this.numbers = new Float64Array((numbers.length / width) * this.width);
    for (let row = 0; row < this.rows; row++) {
      const [from, to] = [row * width, row * this.width];
      this.numbers.set(numbers.subarray(from, from + numberCount), to);
      for (const measured of ['latency', 'first'] as const) {
        const [known, wide] = [rooms[measured], this.rooms[measured]];
        if (known.from === known.to) continue;
        const counts = numbers.subarray(from + known.place, from + known.place + known.to - known.from);
        this.numbers.set(counts, to + wide.place + known.from - wide.from);
      }
    }
  }
}

function roomFor(known: Room, { from, to }: Times, place: number): Room {
  if (!isOutside({ from, to }, known)) return { ...known, place };
  const isNew = known.from === known.to;
  const [first, end] = isNew ? [from, to] : [Math.min(from, known.from), Math.max(to, known.to)];
  return { from: Math.max(0, first - spareBuckets), to: end + spareBuckets, place };
}

function isOutside({ from, to }: Pick<Times, 'from' | 'to'>, room: Room): boolean {
  return from < to && (from < room.from || to > room.to);
}

function addTimes(all: Float64Array, start: number, room: Room, { from, to, counts }: Times, sign: 1 | -1): void {
  if (from < to) addAt(all, start + room.place + from - room.from, counts, 0, to - from, sign);
}

/**
 * Both parts of a cost are whole numbers, of less than a dollar behind the first: exact, however many are
 * added, up to 2^53 dollars. Two such parts came to less than two dollars.
 */
function carry(all: Float64Array, start: number): void {
  const nano = all[start + nanoPlace] ?? 0;
  if (nano < nanoPerDollar && nano > -nanoPerDollar) return;
  const dollar = nano > 0 ? 1 : -1;
  all[start + dollarsPlace] = (all[start + dollarsPlace] ?? 0) + dollar;
  all[start + nanoPlace] = nano - dollar * nanoPerDollar;
}

/** One loop for both signs, without a call for each number. */
function addAt(all: Float64Array, to: number, more: Float64Array, from: number, length: number, sign: 1 | -1): void {
  for (let place = 0; place < length; place++)
    all[to + place] = (all[to + place] ?? 0) + sign * (more[from + place] ?? 0);
}
