import { Module, type DynamicModule } from '@nestjs/common';
import { QuotaController } from './quota/quota.controller';
import { QuotaLeases } from './quota/quota-leases';
import { Reports } from './reports/reports';
import { ReportsController } from './reports/reports.controller';
import { StatusController } from './status/status.controller';
import { UsageBacklog } from './status/usage-backlog';

/** What the operations work with. */
export interface MeteringParts {
  leases: QuotaLeases;
  reports: Reports;
  backlog: UsageBacklog;
}

/** All operations of metering. */
@Module({})
export class MeteringModule {
  static with({ leases, reports, backlog }: MeteringParts): DynamicModule {
    return {
      module: MeteringModule,
      controllers: [QuotaController, ReportsController, StatusController],
      providers: [
        { provide: QuotaLeases, useValue: leases },
        { provide: Reports, useValue: reports },
        { provide: UsageBacklog, useValue: backlog },
      ],
    };
  }
}
