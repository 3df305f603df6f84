import type { MetricsReport, QuotaRecord, Series } from '@tollgate/contracts';
import type { Database } from '@tollgate/database';
import type { Reply, ReportReply, ReportRequest, Request } from '../operations';
import type { EventMonths } from '../partitions/event-months';
import { quotaRecord, usedTokens, usedTokensOf } from '../quota/quota-month';
import { metricsReport } from './metrics-report';
import { recount } from './recount';
import { listRequests } from './request-log';
import { readSeries } from './series';
import { seriesWindow } from './series-window';

/** What was used, for callers and operators. */
export class Reports {
  constructor(
    private readonly database: Database<'metering'>,
    /** A connection of its own, with time for a query over all events. */
    private readonly slowDatabase: Database<'metering'>,
    private readonly months: EventMonths,
    private readonly now: () => number = Date.now,
  ) {}

  async usage({ keyId, quotaTokens }: Request<'usage'>): Promise<QuotaRecord> {
    const nowMs = this.now();
    return quotaRecord(await usedTokens(this.database, keyId, nowMs), quotaTokens, nowMs);
  }

  metrics(request: Request<'metrics'>): Promise<MetricsReport> {
    return metricsReport(this.database, request, this.now());
  }

  async series(request: ReportRequest<'series'>): Promise<Series> {
    const window = await seriesWindow(this.database, request, this.months.minutesSinceMs());
    return readSeries(this.database, window, request);
  }

  listRequests(request: ReportRequest<'listRequests'>): Promise<ReportReply<'listRequests'>> {
    return listRequests(this.database, request);
  }

  async usedTokens({ keyIds }: ReportRequest<'usedTokens'>): Promise<ReportReply<'usedTokens'>> {
    const nowMs = this.now();
    const { resetsAt } = quotaRecord(0n, null, nowMs);
    return { used: await usedTokensOf(this.database, keyIds, nowMs), resetsAt };
  }

  recount({ keyId }: Request<'recount'>): Promise<Reply<'recount'>> {
    const { slowDatabase, months } = this;
    return recount(slowDatabase, keyId ?? null, months.completeSinceMs(), months.minutesSinceMs());
  }
}
