import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { NatsConnection } from 'nats';
import { healthReport, healthSubjects, type HealthReport } from '@tollgate/contracts/inference';
import { isDatabaseUnavailable, isDataRefused, isTableMissing } from '@tollgate/database';
import { subscribeJson, type NoticeSubscription } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS, PeriodicWork } from '@tollgate/service';
import { Incidents } from './incidents';
import { toldIncidents, type ToldIncident } from './told-incidents';
import { overAfterMs } from './over-after';

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

const writeEveryMs = 4_000;
const sweepEveryMs = 3_600_000;

/**
 * Hears what inference tells of its deployments, and has it kept. Of several catalogs each hears it all. It
 * is written in turns, of which one runs at a time, whoever tells how much meanwhile.
 */
@Injectable()
export class IncidentWatch implements OnModuleInit, OnModuleDestroy {
  private readonly heard = new HeardIncidents();
  private subscription: NoticeSubscription | null = null;

  constructor(
    private readonly incidents: Incidents,
    @Inject(NATS) private readonly connection: NatsConnection,
    @Inject(LOGGER) private readonly logger: Logger,
    work: PeriodicWork,
  ) {
    work.add({ name: 'incidents', everyMs: writeEveryMs, run: () => this.write() });
    work.add({ name: 'old incidents', everyMs: sweepEveryMs, run: () => orLater(incidents.sweep(Date.now())) });
  }

  onModuleInit(): void {
    const hear = (report: HealthReport): void => this.heard.hear(toldIncidents(report, Date.now()));
    this.subscription = subscribeJson(this.connection, healthSubjects.report, healthReport, hear, this.logger);
  }

  onModuleDestroy(): void {
    this.subscription?.unsubscribe();
  }

  /** What could not be written waits for the next turn. @throws unless the database is only away. */
  private async write(): Promise<void> {
    const told = this.heard.take();
    if (told.length === 0) return;
    try {
      if (!(await this.incidents.write(told))) this.heard.hear(told);
    } catch (error) {
      if (isDataRefused(error) && told.length > 1) return this.writeEach(told);
      this.notWritten(told, error);
    }
  }

  /** Postgres refuses one of them, and with it all of them: that one is lost alone. */
  private async writeEach(told: readonly ToldIncident[]): Promise<void> {
    for (const [index, one] of told.entries())
      try {
        if (!(await this.incidents.write([one]))) this.heard.hear([one]);
      } catch (error) {
        if (!isDataRefused(error)) return this.notWritten(told.slice(index), error);
        this.notWritten([one], error);
      }
  }

  private notWritten(told: readonly ToldIncident[], error: unknown): void {
    if (isDataRefused(error))
      return this.logger.error({ err: error, told }, 'an incident cannot be stored: it is lost');
    this.heard.hear(told);
    if (!isDatabaseUnavailable(error)) throw error;
  }
}

/** Undefined while the database is away, or is still to get its tables, as at a first start. */
async function orLater<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isDatabaseUnavailable(error) && !isTableMissing(error)) throw error;
    return undefined;
  }
}
