import { ControlError } from '@tollgate/contracts';
import { clockBoundMs } from '@tollgate/contracts/catalog';
import { isUuid } from '@tollgate/database';

/** What prices have in common that are set from an instant on: epoch milliseconds. */
export const instant = (atMs: number): string => new Date(atMs).toISOString();
const minutes = (ms: number): string => `${ms / 60_000} minutes`;

/** What is set from an instant on, as refusals call it. */
type Thing = 'price' | 'discount or markup';

/** @throws ControlError `invalid` where one that is set at `at` is to begin too soon. */
export function requireTime(thing: Thing, from: number | undefined, at: number): void {
  if (from === undefined || from >= at + clockBoundMs) return;
  throw new ControlError(
    'invalid',
    `A ${thing} begins ${minutes(clockBoundMs)} after it was set at the earliest (${instant(at + clockBoundMs)}): until then every instance knows it, by whatever clock. What was used before keeps its own.`,
  );
}

/** @throws ControlError `conflict` where one was taken back already, or cannot be any more. */
export function requireWithdrawable(
  thing: Thing,
  row: { validFrom: Date; withdrawnAt: Date | null },
  at: number,
): void {
  if (row.withdrawnAt) throw new ControlError('conflict', `This ${thing} was taken back already.`);
  if (row.validFrom.getTime() <= at + clockBoundMs)
    throw new ControlError(
      'conflict',
      `This ${thing} began, or will in less than ${minutes(clockBoundMs)} (${row.validFrom.toISOString()}). Set another one.`,
    );
}

/** What was set, as it is told but for what it is: its times in epoch milliseconds. */
export function asTold<Row extends { validFrom: Date; setAt: Date; withdrawnAt: Date | null }>(row: Row) {
  const { validFrom, setAt, withdrawnAt, ...told } = row;
  return {
    ...told,
    from: validFrom.getTime(),
    setAt: setAt.getTime(),
    withdrawnAt: withdrawnAt?.getTime() ?? null,
  };
}

/** What is asked for one page, the newest first, and one more. */
interface WantedPage {
  orderBy: [{ setAt: 'desc' }, { id: 'desc' }];
  take: number;
  cursor?: { id: string };
  skip?: number;
}

/**
 * A page of what was set, the newest first; `next`: the id told last, null where there is no more.
 * @throws ControlError `invalid` for a cursor that is none.
 */
export async function pageOfSet<Row extends { id: string }>(
  { limit, after }: { limit: number; after?: string | undefined },
  find: (page: WantedPage) => Promise<Row[]>,
): Promise<{ rows: Row[]; next: string | null }> {
  if (after !== undefined && !isUuid(after)) throw new ControlError('invalid', 'after: is none that was told.');
  const found = await find({
    orderBy: [{ setAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
    ...(after !== undefined && { cursor: { id: after }, skip: 1 }),
  });
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}
