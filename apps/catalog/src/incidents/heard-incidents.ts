import type { ToldIncident } from './told-incidents';

/**
 * What instances told of and is not written yet: each incident once, whoever told of it and however often. So
 * it holds no more than there are deployments.
 */
export class HeardIncidents {
  private heard = new Map<string, ToldIncident>();

  hear(told: readonly ToldIncident[]): void {
    for (const one of told) {
      const name = nameOf(one);
      const known = this.heard.get(name);
      this.heard.set(name, known ? merged(known, one) : one);
    }
  }

  /** All of it; nothing is left. What could not be written is heard again. */
  take(): ToldIncident[] {
    const all = [...this.heard.values()];
    this.heard = new Map();
    return all;
  }
}

/** What fails is one incident, however often it opens; each decision of an operator is one. */
function nameOf({ deployment, kind, since }: ToldIncident): string {
  return JSON.stringify([deployment, kind, kind === 'failing' ? null : since]);
}

/** The newest cause, from when the first told of it, and from the most callers (null: from all). */
function merged(one: ToldIncident, other: ToldIncident): ToldIncident {
  const [older, newer] = one.seenAt <= other.seenAt ? [one, other] : [other, one];
  const isFromAll = one.callers === null || other.callers === null;
  return {
    ...newer,
    since: Math.min(one.since, other.since),
    why: newer.why ?? older.why,
    callers: isFromAll ? null : Math.max(one.callers ?? 0, other.callers ?? 0),
  };
}
