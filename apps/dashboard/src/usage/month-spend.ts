import { monthStartMs } from '@tollgate/contracts';
import type { Series } from '@tollgate/contracts/metering';

/** Of less than a day nobody can say how a month will end. */
const leastMs = 86_400_000;

/** What a calendar month (UTC) has cost so far, beside the one before it, in nano-dollars. */
interface MonthSpend {
  soFar: bigint;
  /** What the whole month costs at the pace so far; null: it is too young to tell. */
  atThisPace: bigint | null;
  /** The whole month before. */
  before: bigint;
}

/** `series`: by days of UTC, undivided, from the beginning of the month before until `now`. */
export function monthSpendOf({ lines }: Pick<Series, 'lines'>, now: number): MonthSpend {
  const [from, until] = [monthStartMs(now), monthStartMs(now, 1)];
  let soFar = 0n;
  let before = 0n;
  for (const { at, costNanoUsd } of lines.flatMap(({ points }) => points))
    if (at >= from) soFar += BigInt(costNanoUsd);
    else before += BigInt(costNanoUsd);
  const atThisPace = now - from < leastMs ? null : (soFar * BigInt(until - from)) / BigInt(now - from);
  return { soFar, atThisPace, before };
}

/** By which part the month differs from the one before at this pace; null: nobody can say. */
export function changeOf({ atThisPace, before }: MonthSpend): number | null {
  return atThisPace === null || before <= 0n ? null : Number(((atThisPace - before) * 10_000n) / before) / 10_000;
}
