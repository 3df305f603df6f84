import { Controller } from '@nestjs/common';
import { meteringOperations } from '@tollgate/contracts';
import type { MetricsReport, QuotaRecord } from '@tollgate/contracts';
import { Serve } from '@tollgate/messaging';
import { databaseAnswer } from '../database-answer';
import type { Reply, Request } from '../operations';
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
}
