import { Prisma } from '@tollgate/database';
import type { Queries } from '@tollgate/database';
import { everybody } from '../ingest/everybody';
import type { ReportReply, ReportRequest } from '../operations';

/** Reads one page of the keys that were answered by one of these models, from the sums by hour. */
export async function usersOf(
  database: Queries<'metering'>,
  { models, since, limit, after }: ReportRequest<'usersOf'>,
): Promise<ReportReply<'usersOf'>> {
  const further = after === undefined ? Prisma.empty : Prisma.sql`AND key_id > ${after}`;
  // One more than asked for tells whether there is a next page. An hour counts whole: its row does not tell
  // when in it.
  const found = await database.$queryRaw<{ keyId: string; models: string[] }[]>`
    SELECT key_id AS "keyId", array_agg(DISTINCT model) AS models FROM usage_hour
    WHERE model = ANY(${models}) AND key_id <> ${everybody} ${further}
      AND at > ${new Date(since)}::timestamptz - interval '1 hour'
    GROUP BY key_id ORDER BY key_id LIMIT ${limit + 1}`;
  const users = found.slice(0, limit);
  return { users, next: found.length > limit ? (users.at(-1)?.keyId ?? null) : null };
}
