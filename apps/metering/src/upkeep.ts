import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { isDatabaseUnavailable } from '@tollgate/database';
import type { Logger } from '@tollgate/observability';
import { LOGGER } from '@tollgate/service';
import { ContentLog } from './content-log/content-log';
import { UsageIntake } from './ingest/usage-intake';
import { KeptReplay } from './ledger/kept-replay';
import { UnsettledLeases } from './ledger/unsettled-leases';
import { MeteringMetrics } from './metering-metrics';
import { EventMonths } from './partitions/event-months';
import { QuotaLeases } from './quota/quota-leases';
import { LatePricing } from './rating/late-pricing';
import { UsageBacklog } from './status/usage-backlog';
import { StoredDays } from './stored-responses/stored-days';

/** Work that comes again: every `everyMs` milliseconds, and once at the start. */
interface Chore {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<void>;
}

/** Runs chores beside the service. One that fails is logged and tried again in its next turn; it never runs twice at once. */
@Injectable()
export class Upkeep implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly chores: readonly Chore[];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Map<string, Promise<void>>();
  /** When the stream was made of which the log tells that it is a new one. */
  private toldOfStream: number | null = null;

  constructor(
    private readonly months: EventMonths,
    days: StoredDays,
    leases: QuotaLeases,
    contentLog: ContentLog,
    private readonly unsettled: UnsettledLeases,
    private readonly replay: KeptReplay,
    private readonly backlog: UsageBacklog,
    private readonly intake: UsageIntake,
    private readonly latePricing: LatePricing,
    private readonly metrics: MeteringMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.chores = [
      { name: 'partitions', everyMs: 3_600_000, run: () => this.keepMonths() },
      { name: 'days of responses', everyMs: 60_000, run: () => days.maintain() },
      { name: 'ended leases', everyMs: 15_000, run: () => leases.sweep() },
      { name: 'expired content', everyMs: 60_000, run: async () => void (await contentLog.sweep()) },
      { name: 'missing events', everyMs: 30_000, run: () => this.lookForMissingEvents() },
      { name: 'what was stored', everyMs: 10_000, run: () => this.lookBack() },
      { name: 'former stream', everyMs: 60_000, run: () => this.lookForFormerStream() },
      { name: 'copies', everyMs: 60_000, run: () => intake.keepCopies() },
      { name: 'late prices', everyMs: 5_000, run: () => this.priceLateEvents() },
    ];
  }

  onModuleInit(): void {
    for (const chore of this.chores) {
      this.turn(chore);
      this.timers.push(setInterval(() => this.turn(chore), chore.everyMs));
    }
  }

  onModuleDestroy(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Resolves when no chore runs any more. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private turn(chore: Chore): void {
    if (this.running.has(chore.name)) return;
    const done = this.attempt(chore).finally(() => this.running.delete(chore.name));
    this.running.set(chore.name, done);
  }

  private async attempt({ name, run }: Chore): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (isDatabaseUnavailable(error))
        this.logger.warn({ chore: name }, 'Postgres is away; the chore waits for its next turn');
      else this.logger.error({ err: error, chore: name }, 'a chore failed; it is tried again in its next turn');
    }
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

  /** A store that was lost or exchanged took usage along that nobody had stored; its place looks just like an idle one. */
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
