import { chargeKindNames, driftOfModels } from '@tollgate/contracts/metering';
import type { DriftLine, ReadBill } from '@tollgate/contracts/metering';

/**
 * A bill with the sums of its lines, in pico-dollars as texts. `drift`: the certain differences of its
 * models, each without its sign; null: our side of the day is not worked out yet.
 */
export interface SummedBill extends ReadBill {
  billed: string;
  rated: string;
  /** The part of `rated` that no caller pays. */
  unbilled: string;
  /** What more may be billed, beside `rated`. */
  estimated: string;
  drift: string | null;
}

/** Bills with their sums. */
export function summedBills(bills: readonly ReadBill[], lines: readonly DriftLine[]): SummedBill[] {
  return bills.map((bill) => {
    const own = lines.filter(({ provider, day }) => provider === bill.provider && day === bill.day);
    const sum = (picos: readonly (string | null)[]): bigint =>
      picos.reduce((all, each) => all + BigInt(each ?? '0'), 0n);
    return {
      ...bill,
      billed: sum(own.map(({ billedPicoUsd }) => billedPicoUsd)).toString(),
      rated: sum(own.map(({ ratedPicoUsd }) => ratedPicoUsd)).toString(),
      unbilled: sum(own.map(({ unbilledPicoUsd }) => unbilledPicoUsd)).toString(),
      estimated: sum(own.map(({ estimatedPicoUsd }) => estimatedPicoUsd)).toString(),
      drift: bill.ratedAt === null ? null : driftOfModels(own).toString(),
    };
  });
}

/** A kind of a line as people read it. */
export function kindName(kind: string): string {
  if (kind === '') return 'all kinds';
  const names: Readonly<Record<string, string>> = chargeKindNames;
  return names[kind] ?? kind;
}

/** The days (UTC) from `days` ago to that of `now` (epoch milliseconds). */
export function lastDays(days: number, now: number): { from: string; to: string } {
  const dayOf = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10);
  return { from: dayOf(days), to: dayOf(0) };
}
