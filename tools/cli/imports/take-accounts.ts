import { importOperations, type ImportCounts } from '@tollgate/contracts';
import type { Gateway } from '../gateway';
import type { ImportedAccounts } from './imported-accounts';

/** So many keys, or budgets, are told at once: a message holds a megabyte. */
const stepRows = 200;
const takeTimeoutMs = 60_000;

/**
 * Has accounts take over each account, its keys before its budgets. Returns what was not there yet.
 * @throws ControlError what accounts says; what was taken stays.
 */
export async function takeAccounts(
  gateway: Gateway,
  { accounts }: ImportedAccounts,
  { source, actor }: { source: string; actor: string },
): Promise<ImportCounts> {
  const sum: ImportCounts = { accounts: 0, people: 0, keys: 0, budgets: 0 };
  for (const { keys, budgets, ...account } of accounts) {
    const steps = [
      ...stepsOf(keys).map((some) => ({ keys: some })),
      ...stepsOf(budgets).map((some) => ({ budgets: some })),
    ];
    for (const step of steps.length > 0 ? steps : [{}]) {
      const wish = { source, actor, account: { ...account, ...step } };
      const { made } = await gateway.call(importOperations.take, wish, { timeoutMs: takeTimeoutMs });
      for (const name of ['accounts', 'people', 'keys', 'budgets'] as const) sum[name] += made[name];
    }
  }
  return sum;
}

function stepsOf<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / stepRows) }, (_, step) =>
    rows.slice(step * stepRows, (step + 1) * stepRows),
  );
}
