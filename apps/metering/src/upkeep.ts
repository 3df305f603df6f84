import { Inject, Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '@tollgate/database';
import type { Logger } from '@tollgate/observability';
import { LOGGER, PeriodicWork } from '@tollgate/service';
import { EndedHours } from './blocks/ended-hours';
import { UsageBlocks } from './blocks/usage-blocks';
import { BudgetLeases } from './budgets/budget-leases';
import { EndedBudgetLeases } from './budgets/ended-budget-leases';
import { ContentLog } from './content-log/content-log';
import { Conversations } from './conversations/conversations';
import { GuardrailFindings } from './guardrails/guardrail-findings';
import { UsageIntake } from './ingest/usage-intake';
import { RatedDays } from './invoices/rated-days';
import { Refusals } from './refusals/refusals';
import { KeptReplay } from './ledger/kept-replay';
import { UnsettledLeases } from './ledger/unsettled-leases';
import { MeteringMetrics } from './metering-metrics';
import { EventMonths } from './event-months';
import { QuotaLeases } from './quota/quota-leases';
import { LatePricing } from './rating/late-pricing';
import { UsageBacklog } from './status/usage-backlog';
import { StoredDays } from './stored-responses/stored-days';

/** What metering does beside what it is asked. */
@Injectable()
export class Upkeep {
  /** When the stream was made of which the log tells that it is a new one. */
  private toldOfStream: number | null = null;

  constructor(
    private readonly months: EventMonths,
    days: StoredDays,
    conversations: Conversations,
    leases: QuotaLeases,
    budgetLeases: EndedBudgetLeases,
    budgets: BudgetLeases,
    contentLog: ContentLog,
    refusals: Refusals,
    findings: GuardrailFindings,
    private readonly unsettled: UnsettledLeases,
    private readonly replay: KeptReplay,
    private readonly backlog: UsageBacklog,
    private readonly intake: UsageIntake,
    private readonly latePricing: LatePricing,
    ratedDays: RatedDays,
    blocks: UsageBlocks,
    endedHours: EndedHours,
    private readonly metrics: MeteringMetrics,
    work: PeriodicWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const chores: [name: string, everyMs: number, run: () => Promise<unknown>][] = [
      ['partitions', 3_600_000, () => this.keepMonths()],
      ['days of responses', 60_000, () => days.maintain()],
      ['removed conversations', 60_000, () => conversations.finishRemovals()],
      ['ended leases', 15_000, () => leases.sweep()],
      ['ended leases of budgets', 10_000, () => budgetLeases.sweep()],
      ['sums of budgets', 600_000, () => budgets.forgetSums()],
      ['names of budgets', 3_600_000, () => budgets.forgetNames()],
      ['expired content', 60_000, () => contentLog.sweep()],
      ['old refusals', 3_600_000, () => refusals.sweep()],
      ['old findings of guardrails', 3_600_000, () => findings.sweep()],
      ['findings of guardrails', 600_000, () => findings.fold()],
      ['missing events', 30_000, () => this.lookForMissingEvents()],
      ['what was stored', 10_000, () => this.lookBack()],
      ['former stream', 60_000, () => this.lookForFormerStream()],
      ['copies', 60_000, () => intake.keepCopies()],
      ['bills', 2_000, () => ratedDays.run()],
      ['figures of bills', 60_000, () => ratedDays.show()],
      ['blocks of usage', 10_000, () => blocks.run()],
      ['hours that have ended', 10_000, () => endedHours.run()],
      ['figures of blocks', 30_000, async () => metrics.showBlocks(await blocks.figures())],
      ['late prices', 5_000, () => this.priceLateEvents()],
    ];
    for (const [name, everyMs, run] of chores)
      work.add({ name, everyMs, run, onFailure: (err) => this.failed(name, err) });
  }

  private failed(chore: string, err: unknown): void {
    if (isDatabaseUnavailable(err)) this.logger.warn({ chore }, 'Postgres is away; the chore is tried again');
    else this.logger.error({ err, chore }, 'a chore failed; it is tried again');
  }

  private async keepMonths(): Promise<void> {
    const dropped = await this.months.maintain();
    if (dropped.length > 0) this.logger.info({ dropped }, 'usage events older than what is kept were dropped');
  }

  private async lookForMissingEvents(): Promise<void> {
    await this.unsettled.clean();
    const found = await this.unsettled.look();
    this.metrics.showUnsettled(found);
    for (const lease of found.newLeases)
      this.logger.warn(lease, 'a quota lease ended holding tokens that no usage event settled: usage may be missing');
  }

  private async lookBack(): Promise<void> {
    const found = await this.replay.lookBack();
    if (!found) return;
    const since = new Date(found.sinceMs).toISOString();
    this.logger.error(
      { since, stored: found.stored },
      'Postgres had lost usage that it had stored; what JetStream keeps of it is stored again',
    );
  }

  /**
   * A store that was lost or exchanged took usage along that nobody had stored; its place looks just like an
   * idle one.
   */
  private async lookForFormerStream(): Promise<void> {
    // Before that the stream may not be made yet.
    if (!this.intake.isStarted) return;
    const madeAt = await this.backlog.madeAnew(await this.backlog.read());
    if (madeAt === null || madeAt === this.toldOfStream) return;
    this.toldOfStream = madeAt;
    this.logger.error(
      { madeAt: new Date(madeAt).toISOString() },
      'the stream of usage was made anew: what waited in its former store is not here, but for what instances still hold and send again',
    );
  }

  private async priceLateEvents(): Promise<void> {
    const events = await this.latePricing.run();
    if (events > 0) this.logger.info({ events }, 'events that came before their prices are priced now');
  }
}
