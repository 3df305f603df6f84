import { ToldCounts } from '@tollgate/contracts';
import type { GuardrailAction } from '@tollgate/contracts/catalog';
import { mostGuardrailFindings } from '@tollgate/contracts/metering';
import type { FoundInHour, GuardrailSide } from '@tollgate/contracts/metering';

const hourMs = 3_600_000;
/** Metering may be away for so long. */
const keptMs = 6 * hourMs;
/** More of them than an operator has guardrails: what comes beyond is not counted. */
const mostCounts = 10_000;

/**
 * In how many requests or answers guardrails found something, by the hour, until somebody keeps it. It is
 * bounded, and what nobody takes for six hours is dropped, which `onDropped` hears. `toldBy` names this
 * instance among all.
 */
export class FindingCounts {
  private readonly counts: ToldCounts<FoundInHour>;

  constructor(
    private readonly toldBy: string,
    private readonly onDropped: (count: number) => void = () => undefined,
    private readonly now: () => number = Date.now,
  ) {
    const beginOf = ({ hour }: FoundInHour): number => hour;
    const bounds = { spanMs: hourMs, keptMs, perMessage: mostGuardrailFindings };
    this.counts = new ToldCounts({ ...bounds, beginOf, onDropped, now });
  }

  add(guardrail: string, side: GuardrailSide, action: GuardrailAction): void {
    const nowMs = this.now();
    const hour = nowMs - (nowMs % hourMs);
    const name = `${hour} ${side} ${action} ${guardrail}`;
    if (!this.counts.has(name) && this.counts.size >= mostCounts) return this.onDropped(1);
    this.counts.add(name, { guardrail, side, action, hour, toldBy: this.toldBy, count: 1 });
  }

  /** Has kept what is new. While nobody is there it waits for the next time. */
  tell(keep: (hours: FoundInHour[]) => Promise<unknown>): Promise<void> {
    return this.counts.tell(keep);
  }
}
