import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { healthReport, healthSubjects, type HealthReport } from '@tollgate/contracts';
import { isDatabaseUnavailable } from '@tollgate/database';
import { subscribeJson, type NoticeSubscription } from '@tollgate/messaging';
import type { Logger } from '@tollgate/observability';
import { LOGGER, NATS, PeriodicWork } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { Incidents } from './incidents';

const sweepEveryMs = 3_600_000;

/** Hears what inference tells of its deployments, and has it kept. Of several catalogs each hears it all. */
@Injectable()
export class IncidentWatch implements OnModuleInit, OnModuleDestroy {
  private subscription: NoticeSubscription | null = null;

  constructor(
    private readonly incidents: Incidents,
    @Inject(NATS) private readonly connection: NatsConnection,
    @Inject(LOGGER) private readonly logger: Logger,
    work: PeriodicWork,
  ) {
    work.add({ name: 'old incidents', everyMs: sweepEveryMs, run: () => this.orLater(incidents.sweep(Date.now())) });
  }

  onModuleInit(): void {
    const take = (report: HealthReport) => this.orLater(this.incidents.take(report, Date.now()));
    this.subscription = subscribeJson(this.connection, healthSubjects.report, healthReport, take, this.logger);
  }

  onModuleDestroy(): void {
    this.subscription?.unsubscribe();
  }

  /** What goes on is told again in five seconds. */
  private async orLater(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
    }
  }
}
