import type { UsageEvent } from '@tollgate/contracts';
import type { Queries } from '@tollgate/database';
import { toStoredEvent } from '../ledger/find-events';
import { postgresJson } from './postgres-json';
import type { UsageRow } from './usage-row';

/**
 * Whether `event` may take the place of one that is known under its id. Two instances may tell of one
 * request: the first lost its connection before edge heard of it, and tells what it cancelled; the second
 * answered. The answer is what the caller got. What edge tells of a request that failed for its caller stays.
 */
export function replaces(event: UsageEvent, known: Pick<UsageEvent, 'state' | 'reportedBy'>): boolean {
  return isAnswer(event) && known.state !== 'completed' && known.reportedBy === 'inference';
}

function isAnswer({ state, reportedBy }: UsageEvent): boolean {
  return state === 'completed' && reportedBy === 'inference';
}

/**
 * Takes out of the ledger what the given rows replace, so that these can be inserted, and returns it: it is
 * to be taken out of the sums too. Locks in the order of ids, as inserts do.
 */
export async function takeEstimates(transaction: Queries<'metering'>, rows: UsageRow[]): Promise<UsageRow[]> {
  const answers = rows.filter(({ event }) => isAnswer(event)).map(({ event: { id }, bornAt }) => ({ id, bornAt }));
  if (answers.length === 0) return [];
  const locked = await transaction.$queryRaw<{ id: string; bornAt: Date }[]>`
    SELECT id, born_at AS "bornAt" FROM usage_event
    JOIN json_to_recordset(${postgresJson(answers)}::json) AS answer (id uuid, "bornAt" bigint) USING (id)
    WHERE born_at = 'epoch'::timestamptz + answer."bornAt" * interval '1 millisecond'
      AND state <> 'completed' AND reported_by = 'inference'
    ORDER BY id FOR UPDATE OF usage_event`;
  if (locked.length === 0) return [];
  const where = { id: { in: locked.map(({ id }) => id) }, bornAt: { in: locked.map(({ bornAt }) => bornAt) } };
  const taken = await transaction.usageEvent.findMany({ where });
  await transaction.usageEvent.deleteMany({ where });
  return taken.map((row) => ({
    ...toStoredEvent(row),
    bornAt: row.bornAt.getTime(),
    startedAt: row.startedAt.getTime(),
    firstTokenAt: row.firstTokenAt?.getTime() ?? null,
    endedAt: row.endedAt.getTime(),
    told: null,
    unbilled: [],
  }));
}
