import type { budgetOperations } from '@tollgate/contracts/metering';
import type { z } from 'zod';
import type { AccountsQueries } from '../storage';
import { isRolling, type StoredBudget } from './stored-budget';

/** So many are told: with at most four a window those of 25 days, with two an hour those of two. */
const mostNotices = 100;

/** `windowStart` of what was told of budgets that roll. */
export const ofRolling = new Date(0);

/**
 * Notes that people are told of these thresholds (percents, at least one) of a budget, and returns those of
 * which they were not told before. Of a window that rolls nothing begins anew: what it was told of is told
 * again when it fell below since (`noteFallen`) and so long has passed as the window is.
 */
export async function noteTold(
  queries: AccountsQueries,
  { id: budgetId, window }: Pick<StoredBudget, 'id' | 'window'>,
  windowStart: Date,
  percents: readonly number[],
): Promise<number[]> {
  if (!isRolling(window)) {
    const data = percents.map((percent) => ({ budgetId, windowStart, percent }));
    const told = await queries.budgetNotice.createManyAndReturn({ data, skipDuplicates: true });
    return told.map(({ percent }) => percent);
  }
  const told = await queries.$queryRaw<{ percent: number }[]>`
    INSERT INTO budget_notice AS notice (budget_id, window_start, percent)
    SELECT ${budgetId}::uuid, ${ofRolling}, percent FROM unnest(${[...percents]}::smallint[]) AS percent ORDER BY percent
    ON CONFLICT (budget_id, window_start, percent) DO UPDATE SET told_at = now(), fell_below = false
      WHERE notice.fell_below AND notice.told_at <= now() - budget_rolls(${window})
    RETURNING percent`;
  return told.map(({ percent }) => percent);
}

/**
 * Notes which budgets that roll are below a threshold of which people were told before `at`, the moment of
 * `passed`: budgets by id, and the thresholds to which they have come.
 */
export async function noteFallen(
  queries: AccountsQueries,
  passed: ReadonlyMap<string, readonly number[]>,
  at: Date,
): Promise<void> {
  const pairs = [...passed].flatMap(([id, percents]) => percents.map((percent) => ({ id, percent })));
  await queries.$executeRaw`
    UPDATE budget_notice SET fell_below = true WHERE (budget_id, window_start, percent) IN (
      SELECT budget_id, window_start, percent FROM budget_notice AS notice JOIN budget ON budget.id = budget_id
      WHERE budget_rolls("window") IS NOT NULL AND window_start = ${ofRolling} AND NOT fell_below AND told_at < ${at}
        AND (budget_id, percent) NOT IN (
          SELECT * FROM unnest(${pairs.map(({ id }) => id)}::uuid[], ${pairs.map(({ percent }) => percent)}::smallint[])
        )
      ORDER BY budget_id, window_start, percent FOR UPDATE OF notice SKIP LOCKED
    )`;
}

/** What people were told of a budget, the newest first. */
export async function noticesOf(
  queries: Pick<AccountsQueries, 'budgetNotice' | 'budgetNameMail'>,
  { id: budgetId, window }: Pick<StoredBudget, 'id' | 'window'>,
): Promise<z.output<typeof budgetOperations.notices.reply>> {
  const notices = await queries.budgetNotice.findMany({
    where: { budgetId },
    orderBy: [{ toldAt: 'desc' }, { percent: 'desc' }],
    take: mostNotices,
  });
  const mail = await queries.budgetNameMail.findUnique({ where: { budgetId } });
  return {
    notices: notices.map(({ windowStart, percent, toldAt }) => ({
      windowStart: isRolling(window) ? null : windowStart.getTime(),
      ...{ percent, toldAt: toldAt.getTime() },
    })),
    namesMailedAt: mail?.mailedAt?.getTime() ?? null,
  };
}
