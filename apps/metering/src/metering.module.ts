import { Module } from '@nestjs/common';
import { migrateWhenReachable } from '@tollgate/database';
import { DeadLetters, KeptUsage } from '@tollgate/messaging';
import { NATS, type ServiceDefinition } from '@tollgate/service';
import type { NatsConnection } from 'nats';
import { Registry } from 'prom-client';
import { KeptTurns, ReportTurns } from './account-turns';
import { BackgroundResponses } from './background/background-responses';
import { BackgroundController } from './background/background.controller';
import { EndedHours } from './blocks/ended-hours';
import { UsageBlocks } from './blocks/usage-blocks';
import { BudgetLeases } from './budgets/budget-leases';
import { EndedBudgetLeases } from './budgets/ended-budget-leases';
import { BudgetsController } from './budgets/budgets.controller';
import { ContentLog } from './content-log/content-log';
import { ContentLogController } from './content-log/content-log.controller';
import { Conversations } from './conversations/conversations';
import { ConversationsController } from './conversations/conversations.controller';
import { Databases } from './databases';
import { DeadLettersController } from './ledger/dead-letters.controller';
import { GuardrailFindings } from './guardrails/guardrail-findings';
import { GuardrailFindingsController } from './guardrails/guardrail-findings.controller';
import { DriftRequests } from './invoices/drift-requests';
import { KeptAnswers } from './invoices/kept-answers';
import { Invoices } from './invoices/invoices';
import { InvoicesController } from './invoices/invoices.controller';
import { RatedDays } from './invoices/rated-days';
import { UsageIngest } from './ingest/usage-ingest';
import { UsageIntake } from './ingest/usage-intake';
import { KeptReplay } from './ledger/kept-replay';
import { Ledger } from './ledger/ledger';
import { LedgerController } from './ledger/ledger.controller';
import { UnsettledLeases } from './ledger/unsettled-leases';
import { MeteringMetrics } from './metering-metrics';
import { EventMonths } from './event-months';
import { QuotaController } from './quota/quota.controller';
import { QuotaLeases } from './quota/quota-leases';
import { LatePricing } from './rating/late-pricing';
import { CurrentPrices } from './rating/price-book';
import { Refusals } from './refusals/refusals';
import { RefusalsController } from './refusals/refusals.controller';
import { ReportsController } from './reports/reports.controller';
import { MeteringSettings } from './settings';
import { showBacklog } from './status/backlog-metrics';
import { StatusController } from './status/status.controller';
import { UsageBacklog } from './status/usage-backlog';
import { StoredBytes } from './stored-responses/stored-bytes';
import { StoredDays } from './stored-responses/stored-days';
import { StoredResponses } from './stored-responses/stored-responses';
import { StoredResponsesController } from './stored-responses/stored-responses.controller';
import { Upkeep } from './upkeep';

/** All of metering but its databases. */
@Module({
  controllers: [
    QuotaController,
    ReportsController,
    StatusController,
    LedgerController,
    DeadLettersController,
    ContentLogController,
    StoredResponsesController,
    ConversationsController,
    InvoicesController,
    BackgroundController,
    BudgetsController,
    RefusalsController,
    GuardrailFindingsController,
  ],
  providers: [
    BackgroundResponses,
    BudgetLeases,
    ContentLog,
    Conversations,
    CurrentPrices,
    DriftRequests,
    EndedBudgetLeases,
    KeptAnswers,
    EventMonths,
    GuardrailFindings,
    Invoices,
    KeptReplay,
    KeptTurns,
    LatePricing,
    Ledger,
    MeteringMetrics,
    QuotaLeases,
    RatedDays,
    Refusals,
    ReportTurns,
    StoredBytes,
    StoredDays,
    StoredResponses,
    UnsettledLeases,
    Upkeep,
    UsageBacklog,
    UsageBlocks,
    EndedHours,
    UsageIngest,
    UsageIntake,
    ...[DeadLetters, KeptUsage].map((Class) => ({
      provide: Class,
      useFactory: (connection: NatsConnection) => new Class(connection),
      inject: [NATS],
    })),
  ],
})
class MeteringModule {
  constructor(registry: Registry, backlog: UsageBacklog) {
    showBacklog(registry, backlog);
  }
}

/** The service: waits for Postgres, then takes usage from JetStream, then answers. */
export const metering: ServiceDefinition<MeteringSettings> = {
  name: 'metering',
  settings: MeteringSettings,
  module: () => MeteringModule,
  migrate: migrateWhenReachable,
  storage: Databases,
};
