import { ControlError } from './control-error';

/** What is counted, and how much of it. */
interface CountRow {
  readonly count: number;
}

/** A row, and how much of it is kept elsewhere. */
interface Counted<Row> {
  readonly row: Row;
  readonly told: number;
}

/** How counts come to another service. */
interface Telling<Row> {
  /** When the span of time began that a row is about, milliseconds since the epoch. */
  readonly beginOf: (row: Row) => number;
  readonly spanMs: number;
  /** The other service may be away for so long from there on. */
  readonly keptMs: number;
  readonly perMessage: number;
  /** Hears how much was dropped that nobody took in time. */
  readonly onDropped: (count: number) => void;
  readonly now: () => number;
}

/**
 * Counts by causes and spans of time (an hour, say) until another service keeps them. What is new of a row is
 * told as the count of its whole span, which replaces a smaller one there: it may be told twice, and in any
 * order.
 */
export class ToldCounts<Row extends CountRow> {
  private readonly counts = new Map<string, Counted<Row>>();

  constructor(private readonly telling: Telling<Row>) {}

  /** How many rows are held. */
  get size(): number {
    return this.counts.size;
  }

  has(name: string): boolean {
    return this.counts.has(name);
  }

  /** Adds the count of a row to that of its name. What else the row says is the newest. */
  add(name: string, row: Row): void {
    const known = this.counts.get(name);
    const count = (known?.row.count ?? 0) + row.count;
    this.counts.set(name, { row: { ...row, count }, told: known?.told ?? 0 });
  }

  /**
   * Has kept what is new. While nobody is there it waits for the next time.
   * @throws what `keep` throws, but for a ControlError that says `unavailable`.
   */
  async tell(keep: (rows: Row[]) => Promise<unknown>): Promise<void> {
    this.forget();
    const { perMessage } = this.telling;
    const waiting = [...this.counts].filter(([, { row, told }]) => row.count > told);
    try {
      for (let from = 0; from < waiting.length; from += perMessage) {
        const part = waiting.slice(from, from + perMessage);
        await keep(part.map(([, { row }]) => row));
        for (const [name, { row }] of part) this.taken(name, row.count);
      }
    } catch (error) {
      if (!(error instanceof ControlError && error.code === 'unavailable')) throw error;
    }
  }

  /** More of the same may have come while it was on its way. */
  private taken(name: string, told: number): void {
    const counted = this.counts.get(name);
    if (counted) this.counts.set(name, { ...counted, told });
  }

  /** What is of a former span and known, or too old, is not needed any more. */
  private forget(): void {
    const { beginOf, spanMs, keptMs, onDropped, now } = this.telling;
    const nowMs = now();
    for (const [name, { row, told }] of this.counts) {
      const begin = beginOf(row);
      const isOver = begin + spanMs <= nowMs;
      if (!isOver || (told < row.count && begin + keptMs > nowMs)) continue;
      this.counts.delete(name);
      if (told < row.count) onDropped(row.count - told);
    }
  }
}
