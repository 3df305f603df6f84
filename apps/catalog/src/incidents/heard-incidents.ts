import { overAfterMs } from './over-after';
import type { ToldIncident } from './told-incidents';

/** More than a busy fleet keeps away in a day without Postgres; what was heard first goes first. */
const mostHeard = 10_000;

/**
 * What instances told of and is not written yet: each incident once, whoever told of it and however often.
 * While Postgres is away for long there may be several of a deployment.
 */
export class HeardIncidents {
  private heard = new Map<string, ToldIncident>();

  hear(told: readonly ToldIncident[]): void {
    for (const one of told) {
      const name = nameOf(one);
      const known = this.heard.get(name);
      if (known && !isSame(known, one)) {
        const [older, newer] = inOrder(known, one);
        this.keep(`${name} ${older.since}`, older);
        this.keep(name, newer);
      } else this.keep(name, known ? merged(known, one) : one);
    }
  }

  /** All of it; nothing is left. What could not be written is heard again. */
  take(): ToldIncident[] {
    const all = [...this.heard.values()];
    this.heard = new Map();
    return all;
  }

  private keep(name: string, one: ToldIncident): void {
    const [oldest] = this.heard.keys();
    if (this.heard.size >= mostHeard && !this.heard.has(name) && oldest !== undefined) this.heard.delete(oldest);
    this.heard.set(name, one);
  }
}

/** What fails is one incident, however often it opens; each decision of an operator is one. */
function nameOf({ deployment, kind, since }: ToldIncident): string {
  return JSON.stringify([deployment, kind, kind === 'failing' ? null : since]);
}

/** Whether nothing was over in between: the newer one had begun before the older one was lost from sight. */
function isSame(one: ToldIncident, other: ToldIncident): boolean {
  const [older, newer] = inOrder(one, other);
  return one.kind !== 'failing' || newer.since - older.seenAt <= overAfterMs;
}

const inOrder = (one: ToldIncident, other: ToldIncident): [ToldIncident, ToldIncident] =>
  one.seenAt <= other.seenAt ? [one, other] : [other, one];

/** The newest cause, from when the first told of it, and from the most callers (null: from all). */
function merged(one: ToldIncident, other: ToldIncident): ToldIncident {
  const [older, newer] = inOrder(one, other);
  const isFromAll = one.callers === null || other.callers === null;
  return {
    ...newer,
    since: Math.min(one.since, other.since),
    why: newer.why ?? older.why,
    callers: isFromAll ? null : Math.max(one.callers ?? 0, other.callers ?? 0),
  };
}
