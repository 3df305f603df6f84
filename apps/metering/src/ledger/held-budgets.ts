import type { BudgetUnit, ExplainedEvent } from '@tollgate/contracts/metering';
import type { Queries } from '@tollgate/database';
import type { StoredEvent } from './find-events';

interface KnownBudget {
  id: string;
  name: string;
  unit: BudgetUnit;
  /** Whether it counts what the model of the event costs. */
  counts: boolean;
}

/** What a request held of its budgets and cost of them, as far as its holds name them (`heldBudget`). */
export async function heldBudgets(
  database: Queries<'metering'>,
  { event, costNanoUsd }: StoredEvent,
): Promise<ExplainedEvent['budgets']> {
  const held = new Map<string, { unit: BudgetUnit; amount: bigint; parts: bigint }>();
  for (const { budgetId, nanoUsd, unit = 'usd' } of event.budgets ?? []) {
    if (budgetId === undefined) continue;
    const { amount, parts } = held.get(budgetId) ?? { amount: 0n, parts: 0n };
    held.set(budgetId, { unit, amount: amount + BigInt(nanoUsd), parts: parts + 1n });
  }
  if (held.size === 0) return [];
  const rows = await database.$queryRaw<KnownBudget[]>`
    SELECT id::text, name, unit, budget_counts(models, ${event.model}) AS counts
    FROM budget WHERE id = ANY(${[...held.keys()]}::uuid[])`;
  const known = new Map(rows.map((row) => [row.id, row]));
  const { input, output } = event.usage;
  const used: Record<BudgetUnit, bigint> = { usd: costNanoUsd ?? 0n, tokens: BigInt(input + output) };
  return [...held].map(([budgetId, { unit: told, amount, parts }]) => {
    const budget = known.get(budgetId);
    // An edge of a release that knew one unit alone told none.
    const unit = budget?.unit ?? told;
    const spent = budget?.counts ? used[unit] * parts : 0n;
    return {
      budgetId,
      name: budget?.name ?? null,
      unit,
      heldNanoUsd: amount.toString(),
      spentNanoUsd: budget ? spent.toString() : null,
    };
  });
}
