import { Injectable } from '@nestjs/common';
import { UsageIntake } from '../ingest/usage-intake';
import { UsageBacklog } from '../status/usage-backlog';
import { BudgetLeases } from './budget-leases';

/**
 * How far the stream of usage had come at a moment of this process's steady clock: the number of its newest
 * message.
 */
interface Mark {
  atMs: number;
  newest: number;
}

/**
 * Lets go of what lost edges held of budgets, as soon as all is stored that their requests used: not before
 * the stream has moved past everything that was in it then.
 */
@Injectable()
export class EndedBudgetLeases {
  private mark: Mark | null = null;

  constructor(
    private readonly leases: BudgetLeases,
    private readonly intake: UsageIntake,
    private readonly backlog: UsageBacklog,
  ) {}

  /** One round. @throws what JetStream or the database says; nothing is let go then. */
  async sweep(): Promise<void> {
    if (!this.intake.isStarted) return;
    const nowMs = performance.now();
    const { received, oldest } = await this.backlog.read();
    const { mark } = this;
    // Another stream in its place begins to count anew: its first mark is taken again.
    if (mark && received >= mark.newest && oldest > mark.newest) await this.leases.sweep(nowMs - mark.atMs);
    if (!mark || received < mark.newest || oldest > mark.newest) this.mark = { atMs: nowMs, newest: received };
  }
}
