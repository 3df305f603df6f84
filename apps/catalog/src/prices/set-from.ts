import { clockBoundMs, ControlError } from '@tollgate/contracts';

/** What prices have in common that are set from an instant on: epoch milliseconds. */
export const instant = (atMs: number): string => new Date(atMs).toISOString();
const minutes = (ms: number): string => `${ms / 60_000} minutes`;

/** @throws ControlError `invalid` where one that is set at `at` is to begin too soon. */
export function requireTime(from: number | undefined, at: number): void {
  if (from === undefined || from >= at + clockBoundMs) return;
  throw new ControlError(
    'invalid',
    `A price begins ${minutes(clockBoundMs)} after it was set at the earliest (${instant(at + clockBoundMs)}): until then every instance knows it, by whatever clock. What was used before keeps its price.`,
  );
}

/** @throws ControlError `conflict` where one was taken back already, or cannot be any more. */
export function requireWithdrawable(row: { validFrom: Date; withdrawnAt: Date | null }, at: number): void {
  if (row.withdrawnAt) throw new ControlError('conflict', 'This price was taken back already.');
  if (row.validFrom.getTime() <= at + clockBoundMs)
    throw new ControlError(
      'conflict',
      `This price began, or will in less than ${minutes(clockBoundMs)} (${row.validFrom.toISOString()}). Set another one.`,
    );
}
