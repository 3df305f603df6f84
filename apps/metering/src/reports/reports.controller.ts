import { Controller } from '@nestjs/common';
import { meteringOperations, reportOperations } from '@tollgate/contracts';
import type { MetricsReport, QuotaRecord, Series } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../database-answer';
import type { Reply, ReportReply, ReportRequest, Request } from '../operations';
import { Reports } from './reports';

/** What callers and operators ask about usage. */
@Controller()
export class ReportsController {
  constructor(private readonly reports: Reports) {}

  @Serve(meteringOperations.usage)
  usage(request: Request<'usage'>): Promise<QuotaRecord> {
    return databaseAnswer(() => this.reports.usage(request));
  }

  @Serve(meteringOperations.metrics)
  metrics(request: Request<'metrics'>): Promise<MetricsReport> {
    return databaseAnswer(() => this.reports.metrics(request));
  }

  @Serve(meteringOperations.recount)
  recount(request: Request<'recount'>): Promise<Reply<'recount'>> {
    return databaseAnswer(() => this.reports.recount(request));
  }

  @Serve(reportOperations.series)
  series(request: ReportRequest<'series'>): Promise<Series> {
    return databaseAnswer(() => this.reports.series(request));
  }

  @Serve(reportOperations.listRequests)
  listRequests(request: ReportRequest<'listRequests'>): Promise<ReportReply<'listRequests'>> {
    return databaseAnswer(() => this.reports.listRequests(request));
  }

  @Serve(reportOperations.usedTokens)
  usedTokens(request: ReportRequest<'usedTokens'>): Promise<ReportReply<'usedTokens'>> {
    return databaseAnswer(() => this.reports.usedTokens(request));
  }
}
