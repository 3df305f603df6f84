import { isDeepStrictEqual } from 'node:util';
import type { PlanTable } from '../plans/plan-table';
import type { Changes } from './changes';

/**
 * Puts the plans of the operator's file in force: when they differ from what is in force, stores them and tells edges all keys that still work.
 * All instances go by what is stored, so that none tells edges older limits than another.
 * @throws ControlError `unavailable` when the database is away.
 */
export async function announcePlans(changes: Changes, table: PlanTable): Promise<void> {
  const plans = table.toJson();
  await changes.commit(async (change) => {
    if (isDeepStrictEqual(change.plans.toJson(), plans)) return;
    await change.transaction.keyRevision.update({ where: { id: 1 }, data: { plans } });
    const keys = await change.transaction.apiKey.findMany({ where: { status: 'active' }, select: { id: true } });
    await change.touchKeys(keys.map(({ id }) => id));
  });
}
