import type { KeyBudget } from '@tollgate/contracts/metering';
import type { ControlClient } from '@tollgate/messaging';
import type { QuotaReservations } from '../admission/leases/quota-reservations';
import { callerKey } from '../testing/fake-accounts';
import { toBudgetStanding, UsageController } from './usage.controller';

const budgetOf = (index: number, each: KeyBudget['each']): KeyBudget => ({
  ...{
    id: `b${index}`,
    name: `budget ${index}`,
    unit: 'usd',
    limitNanoUsd: '1000000000',
    soft: false,
    fallbackModel: null,
  },
  ...{ models: [], each },
});

/** Metering, and how many questions for names it had at once at most. */
class FakeMetering {
  names = 0;
  most = 0;
  private open = 0;

  async call({ subject }: { subject: string }, { budgetId }: { budgetId?: string }): Promise<unknown> {
    if (subject === 'metering.budgets.states') return { states: {} };
    if (subject !== 'metering.budgets.names') return { used: 0, quota: null, remaining: null, resetsAt: 0 };
    this.names++;
    this.most = Math.max(this.most, ++this.open);
    await new Promise(setImmediate);
    this.open--;
    const state = { limitNanoUsd: '1000000000', spentNanoUsd: '0', heldNanoUsd: '0', resetsAt: 0 };
    return { names: [{ name: `ann of ${budgetId}`, nameDigest: '', state }] };
  }
}

it('tells a budget in tokens in numbers of them', () => {
  const state = { limitNanoUsd: '1500', spentNanoUsd: '1200', heldNanoUsd: '400', resetsAt: null };
  expect(toBudgetStanding({ ...budgetOf(1, null), unit: 'tokens' }, state)).toEqual({
    ...{ name: 'budget 1', limit_tokens: 1_500, spent_tokens: 1_200, reserved_tokens: 400, remaining_tokens: 0 },
    resets_at: null,
  });
});

describe('usage of a key with many divided budgets', () => {
  it('asks metering a few at a time, and tells them in their order', async () => {
    const metering = new FakeMetering();
    const each = { by: 'end_user', names: '*' } as const;
    const budgets = Array.from({ length: 100 }, (_, index) => budgetOf(index, index < 60 ? each : null));
    const [control, quotas] = [metering, {}] as unknown as [ControlClient, QuotaReservations];
    const caller = { key: callerKey({ quotaTokens: null, budgets }), digest: '' };
    const answer = await new UsageController(control, quotas).usage(caller, {});
    expect(answer.budgets?.map((one) => one.budget_of)).toEqual(
      budgets.filter((one) => one.each).map(({ id }) => `ann of ${id}`),
    );
    expect([metering.names, metering.most]).toEqual([60, 4]);
  });
});
