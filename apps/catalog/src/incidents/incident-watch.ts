import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { healthReport, healthSubjects, type HealthReport } from '@tollgate/contracts';
import { isDatabaseUnavailable, isDataRefused, isTableMissing } from '@tollgate/database';
import { subscribeJson, type NoticeSubscription } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS, PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { HeardIncidents } from './heard-incidents';
import { Incidents } from './incidents';
import { toldIncidents, type ToldIncident } from './told-incidents';

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
