import { Inject, Injectable } from '@nestjs/common';
import { ControlError } from '@tollgate/contracts';
import type { UsageEvent } from '@tollgate/contracts';
import { Prisma } from '@tollgate/database';
import { KeptUsage, UnusableEventsError } from '@tollgate/messaging';
import { Databases } from '../databases';
import { UsageIngest } from '../ingest/usage-ingest';
import type { LedgerReply, LedgerRequest } from '../operations';

/** Messages of one step; each holds up to 64 events. */
const stepMessages = 64;
/** Batches that are looked for again: at ten in a second, all of half a minute. */
const rememberedBatches = 300;
/** Clocks differ, and a message is stored a little before or after its requests ended. */
const marginMs = 60_000;
/** Where not one of the batches is there any more, more may be missing than what is remembered. */
const furtherBackMs = 3_600_000;

/**
 * A batch that was committed: one event of it, and when the first of its requests ended (epoch milliseconds).
 */
interface StoredBatch {
  id: string;
  endedAt: number;
}

/**
 * Plays usage again that JetStream keeps after it was acknowledged. It is wanted where the ledger lost what
 * it had committed: a standby took over that was behind, or a backup was restored. An event that is there
 * already counts no second time.
 */
@Injectable()
export class KeptReplay {
  private batches: StoredBatch[] = [];

  constructor(
    @Inject(KeptUsage) private readonly kept: Pick<KeptUsage, 'firstSince' | 'read'>,
    private readonly databases: Databases,
    private readonly ingest: UsageIngest,
  ) {}

  /** Remembers a batch that was committed. */
  stored(events: readonly UsageEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    this.batches.push({ id: last.id, endedAt: Math.min(...events.map(({ endedAt }) => endedAt)) });
    if (this.batches.length > rememberedBatches) this.batches.shift();
  }

  /**
   * Looks whether what was committed is still there, and plays again from where it is not. Null: all of it is
   * there.
   * @throws what the database or JetStream says.
   */
  async lookBack(): Promise<{ sinceMs: number; stored: number } | null> {
    // Others are committed while the database is asked.
    const looked = [...this.batches];
    if (looked.length === 0) return null;
    const ids = Prisma.join(looked.map(({ id }) => Prisma.sql`${id}::uuid`));
    const rows = await this.databases.ingest.$queryRaw<
      { id: string }[]
    >`SELECT id FROM usage_event WHERE id IN (${ids})`;
    const there = new Set(rows.map(({ id }) => id));
    const missing = looked.filter(({ id }) => !there.has(id.toLowerCase()));
    if (missing.length === 0) return null;
    const further = missing.length === looked.length ? furtherBackMs : marginMs;
    const sinceMs = Math.min(...missing.map(({ endedAt }) => endedAt)) - further;
    let stored = 0;
    let step = await this.step({ sinceMs, from: null });
    for (; ; step = await this.step({ sinceMs, from: step.next })) {
      stored += step.stored;
      if (step.next === null) break;
    }
    // What is not there even now was dropped on purpose (old months), and is not looked for again.
    this.batches = this.batches.filter((batch) => !missing.includes(batch));
    return { sinceMs, stored };
  }

  /**
   * Plays some messages again: from a number on, or the first ones since a time.
   * @throws what the database says; ControlError `unavailable`.
   */
  async step({ sinceMs, from }: LedgerRequest<'replayUsage'>): Promise<LedgerReply<'replayUsage'>> {
    const start = from ?? (await ask(() => this.kept.firstSince(sinceMs)));
    if (start === null) return { received: 0, stored: 0, problems: [], next: null };
    const { events, problems, next } = await ask(() => this.kept.read(start, stepMessages));
    let stored = 0;
    try {
      await this.ingest.ingest(events, ({ inserted }) => (stored += inserted));
    } catch (error) {
      if (!(error instanceof UnusableEventsError)) throw error;
      problems.push(error.message);
    }
    return { received: events.length, stored, problems: problems.slice(0, 5), next };
  }
}

async function ask<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch {
    throw new ControlError('unavailable', 'JetStream does not tell the usage that it keeps; try again in a moment.');
  }
}
