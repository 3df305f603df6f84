import { ControlError, mostGuardrailFindings } from '@tollgate/contracts';
import type { FoundInHour, GuardrailAction, GuardrailSide } from '@tollgate/contracts';

const hourMs = 3_600_000;
/** Metering may be away for so long. */
const keptMs = 6 * hourMs;
/** More of them than an operator has guardrails: what comes beyond is not counted. */
const mostCounts = 10_000;

/** A count, and how much of it is kept elsewhere. */
interface Counted {
  readonly row: FoundInHour;
  readonly told: number;
}

/**
 * In how many requests or answers guardrails found something, by the hour, until somebody keeps it. It is
 * bounded, and what nobody takes for six hours is dropped, which `onDropped` hears. `toldBy` names this
 * instance among all.
 */
export class FindingCounts {
  private readonly counts = new Map<string, Counted>();

  constructor(
    private readonly toldBy: string,
    private readonly onDropped: (count: number) => void = () => undefined,
    private readonly now: () => number = Date.now,
  ) {}

  add(guardrail: string, side: GuardrailSide, action: GuardrailAction): void {
    const nowMs = this.now();
    const hour = nowMs - (nowMs % hourMs);
    const name = `${hour} ${side} ${action} ${guardrail}`;
    const { row, told } = this.counts.get(name) ?? { row: null, told: 0 };
    if (!row && this.counts.size >= mostCounts) return this.onDropped(1);
    const count = (row?.count ?? 0) + 1;
    this.counts.set(name, { row: { guardrail, side, action, hour, toldBy: this.toldBy, count }, told });
  }

  /** Has kept what is new. While nobody is there it waits for the next time. */
  async tell(keep: (hours: FoundInHour[]) => Promise<unknown>): Promise<void> {
    this.forget();
    const waiting = [...this.counts].filter(([, { row, told }]) => row.count > told);
    try {
      for (let from = 0; from < waiting.length; from += mostGuardrailFindings) {
        const part = waiting.slice(from, from + mostGuardrailFindings);
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

  /** What is of a former hour and known, or too old, is not needed any more. */
  private forget(): void {
    const nowMs = this.now();
    for (const [name, { row, told }] of this.counts) {
      const isOver = row.hour + hourMs <= nowMs;
      if (!isOver || (told < row.count && row.hour + keptMs > nowMs)) continue;
      this.counts.delete(name);
      if (told < row.count) this.onDropped(row.count - told);
    }
  }
}
