import { Module, type DynamicModule } from '@nestjs/common';
import { ContentLog } from './content-log/content-log';
import { ContentLogController } from './content-log/content-log.controller';
import { DeadLettersController } from './dead-letters/dead-letters.controller';
import { LetterDesk } from './dead-letters/letter-desk';
import { KeptReplay } from './ledger/kept-replay';
import { Ledger } from './ledger/ledger';
import { LedgerController } from './ledger/ledger.controller';
import { UnsettledLeases } from './ledger/unsettled-leases';
import { QuotaController } from './quota/quota.controller';
import { QuotaLeases } from './quota/quota-leases';
import { Reports } from './reports/reports';
import { ReportsController } from './reports/reports.controller';
import { StoredResponses } from './stored-responses/stored-responses';
import { StoredResponsesController } from './stored-responses/stored-responses.controller';
import { StatusController } from './status/status.controller';
import { UsageBacklog } from './status/usage-backlog';

/** What the operations work with. */
export interface MeteringParts {
  leases: QuotaLeases;
  reports: Reports;
  backlog: UsageBacklog;
  ledger: Ledger;
  replay: KeptReplay;
  unsettled: UnsettledLeases;
  desk: LetterDesk;
  contentLog: ContentLog;
  stored: StoredResponses;
}

/** All operations of metering. */
@Module({})
export class MeteringModule {
  static with({
    leases,
    reports,
    backlog,
    ledger,
    replay,
    unsettled,
    desk,
    contentLog,
    stored,
  }: MeteringParts): DynamicModule {
    return {
      module: MeteringModule,
      controllers: [
        QuotaController,
        ReportsController,
        StatusController,
        LedgerController,
        DeadLettersController,
        ContentLogController,
        StoredResponsesController,
      ],
      providers: [
        { provide: QuotaLeases, useValue: leases },
        { provide: Reports, useValue: reports },
        { provide: UsageBacklog, useValue: backlog },
        { provide: Ledger, useValue: ledger },
        { provide: KeptReplay, useValue: replay },
        { provide: UnsettledLeases, useValue: unsettled },
        { provide: LetterDesk, useValue: desk },
        { provide: ContentLog, useValue: contentLog },
        { provide: StoredResponses, useValue: stored },
      ],
    };
  }
}
