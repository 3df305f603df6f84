import { Controller, Get, UseGuards } from '@nestjs/common';
import { budgetLeaseOperations, meteringOperations } from '@tollgate/contracts';
import type { KeyBudget } from '@tollgate/contracts';
import { ControlClient } from '@tollgate/messaging';
import { QuotaReservations } from '../admission/leases/quota-reservations';
import { RequestLimitGuard } from '../admission/request-limit.guard';
import type { Caller } from '../callers/authenticator';
import { CurrentCaller, KeyGuard } from '../callers/key.guard';
import { toBudgetStanding } from './budget-standing';
import type { UsageAnswer } from './report-shapes';

/**
 * SPEC.md has the quota as an integer, so an unlimited one is told as the largest that every JSON reader
 * holds exactly.
 */
const unlimitedQuota = Number.MAX_SAFE_INTEGER;

/** The token quota of the calling key. */
@Controller('v1/usage')
@UseGuards(KeyGuard, RequestLimitGuard)
export class UsageController {
  constructor(
    private readonly control: ControlClient,
    private readonly quotas: QuotaReservations,
  ) {}

  @Get()
  async usage(@CurrentCaller() { key }: Caller): Promise<UsageAnswer> {
    const record = await this.control.call(
      meteringOperations.usage,
      { keyId: key.id, quotaTokens: key.quotaTokens },
      { timeoutMs: 3_000 },
    );
    if (key.quotaTokens !== null) this.quotas.remember(key.id, record);
    const quota = record.quota ?? unlimitedQuota;
    return {
      used: record.used,
      quota,
      remaining: record.remaining ?? Math.max(0, quota - record.used),
      resets_at: new Date(record.resetsAt).toISOString(),
      ...(key.budgets.length > 0 && { budgets: await this.budgets(key.budgets) }),
    };
  }

  private async budgets(budgets: readonly KeyBudget[]): Promise<UsageAnswer['budgets']> {
    const budgetIds = budgets.map(({ id }) => id);
    const { states } = await this.control.call(budgetLeaseOperations.states, { budgetIds }, { timeoutMs: 3_000 });
    return budgets.flatMap(({ id, name, models }) =>
      states[id] ? toBudgetStanding({ name, models }, states[id]) : [],
    );
  }
}
