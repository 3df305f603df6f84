import { Inject, Injectable } from '@nestjs/common';
import type { HealthReport, Incident, incidentOperations } from '@tollgate/contracts';
import { Prisma, type Database } from '@tollgate/database';
import type { z } from 'zod';
import { DATABASE } from '../settings';
import { toldIncidents, type ToldIncident } from './told-incidents';

/** Instances tell every five seconds; what none told of for three times that is over. */
const overAfterMs = 15_000;
/** What this catalog wrote so lately need not be written again, however many instances tell of it. */
const writtenAnewMs = 5_000;
const keptMs = 90 * 86_400_000;
const mostKept = 10_000;
/** Whoever holds it writes incidents: two catalogs must not begin the same one. */
const writersLock = 7_714_018;

type Asked = z.output<typeof incidentOperations.list.request>;

/** When deployments were kept away from callers, as the inference instances tell. */
@Injectable()
export class Incidents {
  /** What was written lately, and when, epoch milliseconds. */
  private readonly written = new Map<string, number>();

  constructor(@Inject(DATABASE) private readonly database: Database<'catalog'>) {}

  /**
   * Takes a report in: what an instance keeps away from callers goes on, or begins. `nowMs`: when it came,
   * epoch milliseconds. Most reports tell of nothing, and cost nothing.
   */
  async take(report: Pick<HealthReport, 'deployments'>, nowMs: number): Promise<void> {
    const told = this.news(toldIncidents(report, nowMs), nowMs);
    if (told.length === 0) return;
    const now = new Date(nowMs);
    const rows = Prisma.sql`json_to_recordset(${JSON.stringify(told)}::json) AS told (
      deployment text, provider text, kind text, "since" bigint, why text, "heldBy" text, callers int)`;
    const since = Prisma.sql`'epoch'::timestamptz + told.since * interval '1 millisecond'`;
    await this.database.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${writersLock}::bigint)`;
      await transaction.$executeRaw`
        WITH going_on AS (
          UPDATE incident SET seen_at = greatest(seen_at, ${now}), why = coalesce(told.why, incident.why), callers =
            CASE WHEN incident.callers IS NULL OR told.callers IS NULL THEN NULL
              ELSE greatest(incident.callers, told.callers) END
          FROM ${rows}
          WHERE (incident.deployment, incident.kind) = (told.deployment, told.kind)
            AND incident.seen_at >= ${new Date(nowMs - overAfterMs)}
            AND (told.kind = 'failing' OR incident.since = ${since})
          RETURNING incident.deployment, incident.kind
        )
        INSERT INTO incident (deployment, kind, since, provider, seen_at, why, held_by, callers)
        SELECT deployment, kind, ${since}, provider, ${now}, why, "heldBy", callers FROM ${rows}
        WHERE (deployment, kind) NOT IN (SELECT deployment, kind FROM going_on)
        ON CONFLICT (deployment, kind, since) DO UPDATE SET seen_at = greatest(incident.seen_at, EXCLUDED.seen_at)`;
    });
    for (const one of told) this.written.set(nameOf(one), nowMs);
  }

  private news(told: readonly ToldIncident[], nowMs: number): ToldIncident[] {
    for (const [name, atMs] of this.written) if (nowMs - atMs >= writtenAnewMs) this.written.delete(name);
    return told.filter((one) => !this.written.has(nameOf(one)));
  }

  /** As `incidentOperations.list`. */
  async list(
    { provider, deployment, limit }: Asked,
    nowMs: number,
  ): Promise<{ incidents: Incident[]; isWhole: boolean }> {
    const rows = await this.database.incident.findMany({
      where: { provider, deployment },
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
    return { incidents, isWhole: rows.length <= limit };
  }

  /** Removes what is not kept any more. Returns how many went. */
  async sweep(nowMs: number): Promise<number> {
    const old = await this.database.incident.deleteMany({ where: { seenAt: { lt: new Date(nowMs - keptMs) } } });
    const more = await this.database.$executeRaw`
      DELETE FROM incident WHERE ctid = ANY (ARRAY(SELECT ctid FROM incident ORDER BY seen_at DESC OFFSET ${mostKept}))`;
    return old.count + more;
  }
}

/** Another cause, or other callers, is news; a breaker that opens again in the same way is none. */
function nameOf({ deployment, kind, since, why, callers }: ToldIncident): string {
  return JSON.stringify([deployment, kind, kind === 'failing' ? null : since, why, callers]);
}
