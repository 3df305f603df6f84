import { Controller } from '@nestjs/common';
import {
  meteringOperations,
  reportOperations,
  seriesReply,
  statementOperations,
  toSeries,
} from '@tollgate/contracts/metering';
import type {
  MetricsReport,
  QuotaRecord,
  Series,
  SeriesInColumns,
  SlicedWindow,
  Statement,
} from '@tollgate/contracts/metering';
import { Serve } from '@tollgate/messaging';
import type { z } from 'zod';
import { ReportTurns } from '../account-turns';
import { databaseAnswer, Databases } from '../databases';
import type { Reply, ReportReply, ReportRequest, Request } from '../operations';
import { EventMonths } from '../event-months';
import { quotaRecord, usedTokens, usedTokensOf } from '../quota/quota-month';
import { dividedReport, projectsWindowOf, reportOfSlice, slicedWindowOf } from '../slices/slices-report';
import { failures } from './failures';
import { metricsReport } from './metrics-report';
import { recount } from './recount';
import { lastUsedAt } from './last-used';
import { listRequests } from './request-log';
import { readSeriesInColumns } from './series';
import { seriesWindow } from './series-window';
import { readStatement } from './statement';
import { StatementTurns } from './statement-turns';
import { usedDays } from './used-days';
import { usersOf } from './users-of';

/** What callers and operators ask about usage. */
@Controller()
export class ReportsController {
  private readonly statements = new StatementTurns();

  constructor(
    private readonly databases: Databases,
    private readonly months: EventMonths,
    private readonly turns: ReportTurns,
  ) {}

  @Serve(meteringOperations.usage)
  usage({ keyId, quotaTokens }: Request<'usage'>): Promise<QuotaRecord> {
    const nowMs = Date.now();
    return databaseAnswer(async () =>
      quotaRecord(await usedTokens(this.databases.operations, keyId, nowMs), quotaTokens, nowMs),
    );
  }

  @Serve(meteringOperations.metrics)
  metrics(request: Request<'metrics'>): Promise<MetricsReport> {
    const { operations } = this.databases;
    const { divideBy, slice } = request;
    const nowMs = Date.now();
    return databaseAnswer(() => {
      if (slice) return reportOfSlice(operations, request, slice, nowMs);
      return divideBy ? dividedReport(operations, request, divideBy, nowMs) : metricsReport(operations, request, nowMs);
    });
  }

  /** Over all events, on a connection that has time for it. */
  @Serve(meteringOperations.recount)
  recount({ keyId }: Request<'recount'>): Promise<Reply<'recount'>> {
    const { databases, months } = this;
    return databaseAnswer(() =>
      recount(databases.recount, keyId ?? null, months.completeSinceMs(), months.minutesSinceMs()),
    );
  }

  /** In points for who does not say that they read columns, as an edge of the release before. */
  @Serve({ ...reportOperations.series, reply: seriesReply })
  series(request: ReportRequest<'series'>): Promise<Series | SeriesInColumns> {
    const { operations, charts } = this.databases;
    return databaseAnswer(async () => {
      const window = await seriesWindow(operations, request, this.months.minutesSinceMs());
      const columns = await readSeriesInColumns(charts, window, request);
      return request.inColumns === true ? columns : toSeries(columns);
    });
  }

  @Serve(reportOperations.slices)
  slices(request: ReportRequest<'slices'>): Promise<SlicedWindow> {
    return this.answer(request, () => slicedWindowOf(this.databases.operations, request, this.months.minutesSinceMs()));
  }

  @Serve(reportOperations.projects)
  projects(request: ReportRequest<'projects'>): Promise<SlicedWindow> {
    return this.answer(request, () =>
      projectsWindowOf(this.databases.operations, request, this.months.minutesSinceMs()),
    );
  }

  /** On a connection that has time for it: a year of every key is many hours. */
  @Serve(reportOperations.days)
  days(request: ReportRequest<'days'>): Promise<ReportReply<'days'>> {
    return databaseAnswer(() => usedDays(this.databases.recount, request));
  }

  @Serve(statementOperations.read)
  statement(request: z.output<typeof statementOperations.read.request>): Promise<Statement> {
    const read = () => readStatement(this.databases, request);
    return databaseAnswer(() => this.statements.take(read));
  }

  @Serve(reportOperations.listRequests)
  listRequests(request: ReportRequest<'listRequests'>): Promise<ReportReply<'listRequests'>> {
    const namesSinceMs = this.months.keptSinceMs();
    return this.answer(request, () => listRequests(this.databases.operations, request, { namesSinceMs }));
  }

  @Serve(reportOperations.failures)
  failures(request: ReportRequest<'failures'>): Promise<ReportReply<'failures'>> {
    return this.answer(request, () => failures(this.databases.operations, request));
  }

  @Serve(reportOperations.usedTokens)
  usedTokens({ keyIds }: ReportRequest<'usedTokens'>): Promise<ReportReply<'usedTokens'>> {
    const nowMs = Date.now();
    const { resetsAt } = quotaRecord(0n, null, nowMs);
    return databaseAnswer(async () => ({
      used: await usedTokensOf(this.databases.operations, keyIds, nowMs),
      lastUsedAt: await lastUsedAt(this.databases.operations, keyIds),
      resetsAt,
    }));
  }

  /** On a connection that has time for it: it reads the hours of every key. */
  @Serve(reportOperations.usersOf)
  usersOf(request: ReportRequest<'usersOf'>): Promise<ReportReply<'usersOf'>> {
    return databaseAnswer(() => usersOf(this.databases.recount, request));
  }

  /** What may read for a while, for an account; who sees everybody's waits for nobody. */
  private answer<Result>({ accountId }: { accountId?: string }, work: () => Promise<Result>): Promise<Result> {
    return this.turns.take(accountId, () => databaseAnswer(work));
  }
}
