import { Inject, Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { Incident, incidentOperations } from '@tollgate/contracts/catalog';
import { Prisma, type Database } from '@tollgate/database';
import type { IncidentWhereInput } from '@tollgate/database/catalog';
import { z } from 'zod';
import { DATABASE } from '../settings';
import { overAfterMs } from './over-after';
import type { ToldIncident } from './told-incidents';

const keptMs = 90 * 86_400_000;
const mostKept = 10_000;
/** Whoever holds it writes incidents: two catalogs must not begin the same one. Nobody waits for it. */
const writersLock = 7_714_018;

type Asked = z.output<typeof incidentOperations.list.request>;

const word = z.string().refine((name) => !name.includes('\0'));
/** The last moment that a date can be. */
const latestMs = 8.64e15;

/** Where the page before ended: when the last of it began, its deployment and kind. */
const cursor = z.tuple([z.number().int().min(0).max(latestMs), word, word]);
type Cursor = z.output<typeof cursor>;

/** When deployments were kept away from callers, as the inference instances tell. */
@Injectable()
export class Incidents {
  constructor(@Inject(DATABASE) private readonly database: Database<'catalog'>) {}

  /**
   * Writes what goes on or begins, each once. Returns false where another catalog writes just now: nothing
   * was written.
   */
  write(told: readonly ToldIncident[]): Promise<boolean> {
    const rows = Prisma.sql`json_to_recordset(${JSON.stringify(told)}::json) AS told (
      deployment text, provider text, kind text, "since" bigint, why text, "heldBy" text, callers int, "seenAt" bigint)`;
    const since = Prisma.sql`'epoch'::timestamptz + told.since * interval '1 millisecond'`;
    const seenAt = Prisma.sql`'epoch'::timestamptz + told."seenAt" * interval '1 millisecond'`;
    // The incident that is told of; of those of a deployment no two are so near to one another.
    const isToldOf = Prisma.sql`(incident.deployment, incident.kind) = (told.deployment, told.kind)
      AND incident.seen_at >= ${seenAt} - ${overAfterMs} * interval '1 millisecond'
      AND incident.since <= ${seenAt} + ${overAfterMs} * interval '1 millisecond'
      AND (told.kind = 'failing' OR incident.since = ${since})`;
    return this.database.$transaction(async (transaction) => {
      const [lock] = await transaction.$queryRaw<{ held: boolean }[]>`
        SELECT pg_try_advisory_xact_lock(${writersLock}::bigint) AS held`;
      if (!lock?.held) return false;
      await transaction.$executeRaw`
        WITH going_on AS (
          UPDATE incident SET seen_at = greatest(seen_at, ${seenAt}), why =
            CASE WHEN incident.seen_at > ${seenAt} THEN coalesce(incident.why, told.why)
              ELSE coalesce(told.why, incident.why) END, callers =
            CASE WHEN incident.callers IS NULL OR told.callers IS NULL THEN NULL
              ELSE greatest(incident.callers, told.callers) END
          FROM ${rows} WHERE ${isToldOf}
        )
        INSERT INTO incident (deployment, kind, since, provider, seen_at, why, held_by, callers)
        SELECT deployment, kind, ${since}, provider, ${seenAt}, why, "heldBy", callers FROM ${rows}
        WHERE NOT EXISTS (SELECT FROM incident WHERE ${isToldOf})
        ON CONFLICT (deployment, kind, since) DO UPDATE SET seen_at = greatest(incident.seen_at, EXCLUDED.seen_at)`;
      return true;
    });
  }

  /** As `incidentOperations.list`. @throws ControlError `invalid` for a cursor that is none. */
  async list(
    { provider, deployment, limit, after }: Asked,
    nowMs: number,
  ): Promise<z.output<typeof incidentOperations.list.reply>> {
    const rows = await this.database.incident.findMany({
      where: { provider, deployment, ...(after !== undefined && behind(readCursor(after))) },
      orderBy: [{ since: 'desc' }, { deployment: 'asc' }, { kind: 'asc' }],
      take: limit + 1,
    });
    const incidents = rows.slice(0, limit).map(({ since, seenAt, heldBy, kind, ...row }) => ({
      ...row,
      kind: kind as Incident['kind'],
      since: since.getTime(),
      until: seenAt.getTime() < nowMs - overAfterMs ? seenAt.getTime() : null,
      by: heldBy,
    }));
    const last = rows.length > limit ? incidents.at(-1) : undefined;
    return { incidents, isWhole: last === undefined, next: last ? cursorOf(last) : null };
  }

  /** Removes what is not kept any more. Returns how many went. */
  async sweep(nowMs: number): Promise<number> {
    const old = await this.database.incident.deleteMany({ where: { seenAt: { lt: new Date(nowMs - keptMs) } } });
    const more = await this.database.$executeRaw`
      DELETE FROM incident WHERE ctid = ANY (ARRAY(SELECT ctid FROM incident ORDER BY seen_at DESC OFFSET ${mostKept}))`;
    return old.count + more;
  }
}

function cursorOf({ since, deployment, kind }: Incident): string {
  return Buffer.from(JSON.stringify([since, deployment, kind] satisfies Cursor)).toString('base64url');
}

function readCursor(text: string): Cursor {
  try {
    return cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw new ControlError('invalid', 'after: is no cursor of this list.');
  }
}

/** In the order of the list. */
function behind([sinceMs, deployment, kind]: Cursor): IncidentWhereInput {
  const since = new Date(sinceMs);
  return {
    OR: [
      { since: { lt: since } },
      { since, deployment: { gt: deployment } },
      { since, deployment, kind: { gt: kind } },
    ],
  };
}
