import type { MetricsReport, QuotaRecord } from '@tollgate/contracts';
import type { Database } from '@tollgate/database';
import type { Reply, Request } from '../operations';
import type { EventMonths } from '../partitions/event-months';
import { quotaRecord, usedTokens } from '../quota/quota-month';
import { metricsReport } from './metrics-report';
import { recount } from './recount';

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

  recount({ keyId }: Request<'recount'>): Promise<Reply<'recount'>> {
    return recount(this.slowDatabase, keyId ?? null, this.months.completeSinceMs());
  }
}
