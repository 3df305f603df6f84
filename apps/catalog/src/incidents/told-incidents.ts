import type { Incident } from '@tollgate/contracts/catalog';
import type { HealthReport } from '@tollgate/contracts/inference';

/**
 * What an instance tells of now. Times are epoch milliseconds; `heldBy` null: it was the failures; `seenAt`:
 * when it was told.
 */
export interface ToldIncident extends Pick<Incident, 'deployment' | 'provider' | 'kind' | 'since' | 'why' | 'callers'> {
  heldBy: string | null;
  seenAt: number;
}

/** The deployments that an instance keeps away from callers: by its own judgement, and by an operator's. */
export function toldIncidents({ deployments }: Pick<HealthReport, 'deployments'>, nowMs: number): ToldIncident[] {
  return deployments.flatMap(({ deployment, provider, state, openForMs, why, callers, held }) => {
    const told: ToldIncident[] = [];
    const of = { deployment, provider, seenAt: nowMs };
    if (state !== 'closed') {
      const since = Math.round(nowMs - (openForMs ?? 0));
      told.push({ ...of, kind: 'failing', since, why, callers, heldBy: null });
    }
    if (held) {
      const { state: kind, since, reason, by } = held;
      told.push({ ...of, kind, since, why: reason, callers: null, heldBy: by });
    }
    return told;
  });
}
