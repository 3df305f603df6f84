import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';

/**
 * When the last request of each key ended, epoch milliseconds, as far as events are kept; keys without one
 * are left out.
 */
export async function lastUsedAt(queries: Queries<'metering'>, keyIds: string[]): Promise<Record<string, number>> {
  // One look into the index of each month for a key, whatever it used.
  const rows = await queries.$queryRaw<{ key: string; at: Date | null }[]>(Prisma.sql`
    SELECT wanted AS key, (SELECT max(ended_at) FROM usage_event WHERE key_id = wanted) AS at
    FROM unnest(${keyIds}::text[]) AS wanted`);
  return Object.fromEntries(rows.flatMap(({ key, at }) => (at === null ? [] : [[key, at.getTime()]])));
}
